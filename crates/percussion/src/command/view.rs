//! `percussion view`: serves the page of a run on this machine, and follows a run that is still computing.
//!
//! The page asks for `recording` once a second as long as the run goes on; it is packed anew only when there are more rows.
//! Only this machine can reach the port, only the files of the run folder are served, and nothing is changed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use percussion::report::{Recording, RecordingError, page};
use percussion::scene::run::folder;
use tiny_http::{Header, Method, Request, Response, Server};

use super::{print, say};

/// Files of a run folder that the page links to.
const FILES: [(&str, &str); 4] = [
    (folder::SUMMARY, "application/json"),
    (folder::EVENTS, "application/jsonl"),
    (folder::SCENE, "text/plain; charset=utf-8"),
    (folder::TRAJECTORY, "application/octet-stream"),
];

/// Shows a run in the browser; one that still computes is followed
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Run folders; several are compared
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Port on this machine; a free one when absent
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Only say the address
    #[arg(long)]
    no_open: bool,
}

/// Serves until Ctrl-C.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut shown = Shown::new(arguments.runs.clone());
    // What cannot be shown is said here, not in the browser.
    shown.packed()?;
    // Port zero stands for a free one.
    let port = arguments.port.unwrap_or(0);
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow!("cannot listen on port {port}: {error}; choose another with --port"))?;
    let address = server.server_addr().to_ip().ok_or_else(|| anyhow!("the port has no address"))?;
    let url = format!("http://{address}/");
    print(&format!("{url}  (Ctrl-C ends it)\n"))?;
    if !arguments.no_open
        && let Err(error) = open::that_detached(&url)
    {
        say(&format!("no browser could be opened ({error}); open {url}"));
    }
    for request in server.incoming_requests() {
        // A browser that has gone away is no reason to stop.
        _ = answer(request, &mut shown);
    }
    Ok(ExitCode::SUCCESS)
}

/// What is shown, packed when it was last asked for.
struct Shown {
    runs: Vec<PathBuf>,
    bytes: Vec<u8>,
    /// Rows of each run then, and whether it went on.
    state: Vec<(usize, bool)>,
}

impl Shown {
    fn new(runs: Vec<PathBuf>) -> Self {
        Self { runs, bytes: Vec::new(), state: Vec::new() }
    }

    fn packed(&mut self) -> Result<&[u8], RecordingError> {
        let over = !self.state.is_empty() && self.state.iter().all(|(_, going)| !going);
        // A run that has ended may be resumed, or made again: then its summary is gone.
        if !(over && self.runs.iter().all(|run| run.join(folder::SUMMARY).is_file())) {
            let mut recordings =
                self.runs.iter().map(|run| Recording::for_page(run)).collect::<Result<Vec<_>, _>>()?;
            let state: Vec<_> = recordings.iter().map(|r| (r.kept.rows(), r.kept.is_going())).collect();
            if state != self.state {
                self.bytes = page::packed(&mut recordings)?;
                self.state = state;
            }
        }
        Ok(&self.bytes)
    }
}

fn answer(request: Request, shown: &mut Shown) -> std::io::Result<()> {
    if *request.method() != Method::Get || !is_ours(&request) {
        return refuse(request, 403, "only this machine may look");
    }
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    match path.as_str() {
        "/" => {
            let page = Response::from_string(page::served_page());
            request.respond(with_type(page, "text/html; charset=utf-8"))
        }
        "/recording" => match shown.packed() {
            Ok(bytes) => request.respond(with_type(Response::from_data(bytes), "application/octet-stream")),
            // Between two states of a run; the page asks again.
            Err(error) => refuse(request, 503, &format!("{:#}", anyhow::Error::from(error))),
        },
        file => match (FILES.iter().find(|(name, _)| file.strip_prefix('/') == Some(name)), &*shown.runs) {
            (Some((name, kind)), [run]) => send(request, &run.join(name), kind),
            _ => refuse(request, 404, "there is no such page"),
        },
    }
}

/// Whether a request is meant for this machine: a name that somebody else points here is not.
fn is_ours(request: &Request) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    host.is_some_and(|header| {
        let name = header.value.as_str().rsplit_once(':').map_or(header.value.as_str(), |(name, _)| name);
        ["127.0.0.1", "localhost"].contains(&name)
    })
}

fn send(request: Request, path: &Path, kind: &str) -> std::io::Result<()> {
    match File::open(path) {
        Ok(file) => request.respond(with_type(Response::from_file(file), kind)),
        Err(_) => refuse(request, 404, "the run has not written it yet"),
    }
}

fn refuse(request: Request, status: u16, why: &str) -> std::io::Result<()> {
    request.respond(Response::from_string(why).with_status_code(status))
}

fn with_type<R: std::io::Read>(response: Response<R>, kind: &str) -> Response<R> {
    let named = |name: &str, value: &str| Header::from_bytes(name, value).ok();
    let headers = [named("Content-Type", kind), named("Cache-Control", "no-store")];
    headers.into_iter().flatten().fold(response, Response::with_header)
}
