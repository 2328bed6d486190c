//! `percussion view`: serves the report page of a run on this machine, and follows a run in progress.
//!
//! The page requests `recording` once a second while the run is in progress; it is packed again only when there are more rows.
//! The port can be reached from this machine only, only files of the run folder are served, and nothing is changed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use percussion::report::page::{packed, served_page};
use percussion::report::{Recording, RecordingError};
use percussion::scene::run::folder;
use tiny_http::{Header, Method, Request, Response, Server};

use super::{print, print_status};

/// Files of a run folder that the page links to.
const FILES: [(&str, &str); 4] = [
    (folder::SUMMARY, "application/json"),
    (folder::EVENTS, "application/jsonl"),
    (folder::SCENE, "text/plain; charset=utf-8"),
    (folder::TRAJECTORY, "application/octet-stream"),
];

/// Shows a run in the browser and follows a run in progress
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Run folders; several are compared on one page
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Port on this machine [default: a free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

/// Serves until Ctrl-C.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut page = LivePage::new(arguments.runs.clone());
    // Errors of reading are reported here, not in the browser.
    page.packed()?;
    // Port zero stands for a free one.
    let port = arguments.port.unwrap_or(0);
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow!("cannot listen on port {port}: {error}; choose another with --port"))?;
    let address = server.server_addr().to_ip().ok_or_else(|| anyhow!("the port has no address"))?;
    let url = format!("http://{address}/");
    print(&format!("{url}  (stop with Ctrl-C)\n"))?;
    if !arguments.no_open
        && let Err(error) = open::that_detached(&url)
    {
        print_status(&format!("no browser could be opened ({error}); open {url}"));
    }
    for request in server.incoming_requests() {
        // A browser that has disconnected is not an error.
        _ = respond(request, &mut page);
    }
    Ok(ExitCode::SUCCESS)
}

/// The recordings of the page, packed at the last request.
struct LivePage {
    runs: Vec<PathBuf>,
    bytes: Vec<u8>,
    /// Rows of each run at that time, and whether it was in progress.
    state: Vec<(usize, bool)>,
}

impl LivePage {
    fn new(runs: Vec<PathBuf>) -> Self {
        Self { runs, bytes: Vec::new(), state: Vec::new() }
    }

    fn packed(&mut self) -> Result<&[u8], RecordingError> {
        let all_finished = !self.state.is_empty() && self.state.iter().all(|(_, in_progress)| !in_progress);
        // A finished run may be resumed or repeated: then its summary is removed first.
        if !(all_finished && self.runs.iter().all(|run| run.join(folder::SUMMARY).is_file())) {
            let mut recordings =
                self.runs.iter().map(|run| Recording::for_page(run)).collect::<Result<Vec<_>, _>>()?;
            let state: Vec<_> =
                recordings.iter().map(|r| (r.trajectory.rows(), r.trajectory.is_in_progress())).collect();
            if state != self.state {
                self.bytes = packed(&mut recordings)?;
                self.state = state;
            }
        }
        Ok(&self.bytes)
    }
}

fn respond(request: Request, page: &mut LivePage) -> std::io::Result<()> {
    if *request.method() != Method::Get || !is_local(&request) {
        return refuse(request, 403, "only requests from this machine are answered");
    }
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    match path.as_str() {
        "/" => {
            let html = Response::from_string(served_page());
            request.respond(with_type(html, "text/html; charset=utf-8"))
        }
        "/recording" => match page.packed() {
            Ok(bytes) => request.respond(with_type(Response::from_data(bytes), "application/octet-stream")),
            // The run is changing its files; the page requests again.
            Err(error) => refuse(request, 503, &format!("{:#}", anyhow::Error::from(error))),
        },
        file => match (FILES.iter().find(|(name, _)| file.strip_prefix('/') == Some(name)), &*page.runs) {
            (Some((name, kind)), [run]) => send(request, &run.join(name), kind),
            _ => refuse(request, 404, "there is no such file"),
        },
    }
}

/// Whether the host of a request is this machine: other names that resolve to it are refused (DNS rebinding).
fn is_local(request: &Request) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    host.is_some_and(|header| {
        let name = header.value.as_str().rsplit_once(':').map_or(header.value.as_str(), |(name, _)| name);
        ["127.0.0.1", "localhost"].contains(&name)
    })
}

fn send(request: Request, path: &Path, kind: &str) -> std::io::Result<()> {
    match File::open(path) {
        Ok(file) => request.respond(with_type(Response::from_file(file), kind)),
        Err(_) => refuse(request, 404, "the run has not written this file yet"),
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
