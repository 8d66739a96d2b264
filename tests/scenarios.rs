//! Every case of tests/scenarios, played on the real engine.

use std::path::{Path, PathBuf};

use omerta::scenario;

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_case_comes_out_as_it_says() {
    let files: Vec<PathBuf> = ["", "random"].into_iter().flat_map(cases).collect();
    assert!(files.len() > 200, "only {} cases were found", files.len());
    let verdicts: Vec<scenario::Verdict> = files.iter().map(|file| scenario::play_file(file)).collect();
    let mut failures = String::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.ok) {
        let fault = verdict.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        failures.push_str(&format!("{verdict}{fault}\n"));
    }
    assert!(failures.is_empty(), "\n{failures}");
}
