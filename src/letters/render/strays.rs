//! What lies in the operator's folder of templates, and which of it replaces nothing.

use std::path::Path;

use super::{EMBEDDED, TemplateFault, names, nearest};

/// How far below the folder files are looked for: `ru/roles/doctor.txt` lies two levels deep.
const LEVELS: u8 = 3;
/// So many files are looked at: all templates twice over. Another folder may have been named by mistake.
const MOST: usize = 400;
/// So many are named.
const NAMED: usize = 20;

/// The operator's files that lie where no template is looked for, and so replace none.
pub fn strays(folder: &Path) -> Vec<TemplateFault> {
    let is_looked_for =
        |file: &String| (file.starts_with("ru/") || file.starts_with("en/")) && file.matches('/').count() <= 2;
    let stray = |file: String| {
        let meant = meant(&file).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        let what = format!("replaces no template: those that do lie in ru/ and en/{meant}");
        TemplateFault { file, line: None, what, variables: Vec::new(), at: None, excerpt: None }
    };
    files_below(folder, "", LEVELS).into_iter().filter(|file| !is_looked_for(file)).take(NAMED).map(stray).collect()
}

/// Where it may have been meant to lie: `ru/roles/doctor.txt or en/roles/doctor.txt`.
fn meant(file: &str) -> Option<String> {
    let last_of = |name: &str| name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let last = last_of(file);
    let same: Vec<String> = names().filter(|name| last_of(name) == last).collect();
    // One that lies in a folder of its language, too deep or under another spelling, means that language.
    let folders: Vec<String> = file.to_lowercase().split('/').map(str::to_owned).collect();
    let is_of_language =
        |name: &&String| name.split('/').next().is_some_and(|lang| folders.iter().any(|of| of == lang));
    let of_language: Vec<String> = same.iter().filter(is_of_language).cloned().collect();
    if !of_language.is_empty() {
        return Some(of_language.join(" or "));
    }
    if !same.is_empty() {
        return Some(same.join(" or "));
    }
    let near = nearest(&last, EMBEDDED.iter().map(|(_, name, _)| *name))?;
    Some(format!("ru/{near} or en/{near}"))
}

/// The files of a folder and so many levels below it, with `/` between the levels; at most [`MOST`].
pub(super) fn files_below(folder: &Path, prefix: &str, levels: u8) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        if names.len() >= MOST {
            break;
        }
        let path = entry.path();
        if path.is_dir() {
            if let Some(levels) = levels.checked_sub(1) {
                names.extend(files_below(&path, &format!("{prefix}{name}/"), levels));
            }
        } else if path.is_file() {
            names.push(format!("{prefix}{name}"));
        }
    }
    names.sort();
    names
}
