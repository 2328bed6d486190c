//! Messages of the JSON reader with the column and a remedy: unknown keys and names come with a suggestion.

use percussion_scene::nearest;

/// The message of the JSON reader, with the column instead of its line count (each line of the stream is a
/// document) and a suggestion for a mistyped key.
pub fn json_error_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = text.strip_suffix(&place).unwrap_or(&text);
    let column = error.column();
    if error.is_syntax() || error.is_eof() {
        return format!("not valid JSON: {message} (column {column})");
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {key} is missing");
    }
    let Some(rest) = message.strip_prefix("unknown field `") else {
        return if column > 0 { format!("{message} (column {column})") } else { message.to_owned() };
    };
    let mut quoted = rest.split('`').step_by(2);
    let given = quoted.next().unwrap_or_default();
    let known: Vec<&str> = quoted.filter(|word| !word.is_empty()).collect();
    match nearest(given, known.iter().copied()) {
        Some(word) => format!("unknown key `{given}` (column {column}); did you mean `{word}`?"),
        None => format!("unknown key `{given}` (column {column}); known here: {}", known.join(", ")),
    }
}
