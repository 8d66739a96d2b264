//! Between two looks: IDLE where the server has it (RFC 2177), else a pause.

use tokio::time::{Instant, sleep_until, timeout};

use super::fault::Fault;
use super::grammar::Said;
use super::line::Line;
use super::read::Hands;
use super::reader::Orders;
use crate::failpoint::{self, Point};

/// Waits until something has come, the loop wants something, or the time is over. `complete`: the first folder is open,
/// so that the server can tell of it.
pub(super) async fn wait(
    hands: &Hands,
    line: &mut Line,
    orders: &mut Orders,
    until: Instant,
    complete: bool,
) -> Result<(), Fault> {
    if line.news {
        // It came while the folder was read, and is not announced again.
        return Ok(());
    }
    if complete && line.can("IDLE") {
        return idle(hands, line, orders, until).await;
    }
    tokio::select! {
        () = sleep_until(until) => Ok(()),
        order = orders.from_loop.recv() => {
            orders.take_in(order.ok_or(Fault::LoopGone)?);
            Ok(())
        }
    }
}

/// Whatever ends it, it is ended by DONE and its answer: a line that was cut without a word shows that way.
async fn idle(hands: &Hands, line: &mut Line, orders: &mut Orders, until: Instant) -> Result<(), Fault> {
    let tag = line.send("IDLE", "IDLE").await?;
    let begun = Instant::now() + hands.settings.times.step;
    loop {
        let answer = line.answer("IDLE", begun).await?;
        match line.note(answer)? {
            Said::Continue => break,
            Said::Status(status) if status.tag.as_ref() == Some(&tag) => {
                if !status.is_ok() {
                    // It has IDLE, and refuses it: it is not asked again on this line.
                    line.capabilities.retain(|capability| capability != "IDLE");
                }
                return Ok(());
            }
            _ => {}
        }
    }
    failpoint::pass(Point::ImapIdling);
    while !line.news {
        // Silence is what IDLE is for: it lasts until the time is over.
        tokio::select! {
            () = sleep_until(until) => break,
            order = orders.from_loop.recv() => {
                orders.take_in(order.ok_or(Fault::LoopGone)?);
                break;
            }
            answer = line.next_answer() => {
                let answer = answer?;
                if let Said::Status(status) = line.note(answer)?
                    && status.tag.as_ref() == Some(&tag)
                {
                    return Ok(());
                }
            }
        }
    }
    line.write("DONE", b"DONE\r\n").await?;
    let ending = async {
        loop {
            let answer = line.next_answer().await?;
            if let Said::Status(status) = line.note(answer)?
                && status.tag.as_ref() == Some(&tag)
            {
                return Ok(());
            }
        }
    };
    timeout(hands.settings.times.done, ending).await.unwrap_or(Err(Fault::Silent("DONE")))
}
