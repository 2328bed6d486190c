//! Messages of the JSON reader with the column and a remedy: unknown keys and names come with a suggestion.

use percussion_scene::nearest;

/// What the JSON reader found wrong, with the column instead of its own line count (a line of the stream is a
/// document of its own to it) and a suggestion for a mistyped key.
pub fn json_error_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = text.strip_suffix(&place).unwrap_or(&text);
    let column = error.column();
    if error.is_syntax() || error.is_eof() {
        return format!("not valid JSON: {said} (column {column})");
    }
    if let Some(key) = said.strip_prefix("missing field ") {
        return format!("the key {key} is missing");
    }
    let Some(rest) = said.strip_prefix("unknown field `") else {
        return if column > 0 { format!("{said} (column {column})") } else { said.to_owned() };
    };
    let mut quoted = rest.split('`').step_by(2);
    let given = quoted.next().unwrap_or_default();
    let known: Vec<&str> = quoted.filter(|word| !word.is_empty()).collect();
    match nearest(given, known.iter().copied()) {
        Some(word) => format!("unknown key `{given}` (column {column}); did you mean `{word}`?"),
        None => format!("unknown key `{given}` (column {column}); known here: {}", known.join(", ")),
    }
}
