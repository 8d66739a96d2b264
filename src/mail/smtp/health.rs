//! Whether the server may be dialled now. A line that fails again and again rests longer each time, a refused login is
//! not tried in a loop, and a block is not prolonged by further tries.

use std::time::{Duration, Instant};

use super::Patience;
use crate::config::Secret;

/// After a refused login: how long until the same password is tried again.
const LOGIN_RESTS: [Duration; 3] =
    [Duration::from_secs(10 * 60), Duration::from_secs(60 * 60), Duration::from_secs(4 * 60 * 60)];

#[derive(Debug)]
pub(super) struct Health {
    patience: Patience,
    /// Faults of the line since a letter was last answered.
    faults: u32,
    rests_until: Option<Instant>,
    refused: Option<RefusedLogin>,
    logins_refused: usize,
    blocked_until: Option<Instant>,
}

#[derive(Debug)]
struct RefusedLogin {
    until: Instant,
    /// What was refused. Another password is tried at once; an access token is another one each time.
    password: Option<Secret>,
    /// The way to a password may be a program: it is not walked for every letter.
    look_at: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permit {
    Go,
    /// Only with another password than the one that was refused.
    WithAnotherPassword,
    Rest,
    Blocked,
}

impl Health {
    pub(super) fn new(patience: Patience) -> Health {
        Health { patience, faults: 0, rests_until: None, refused: None, logins_refused: 0, blocked_until: None }
    }

    pub(super) fn permit(&mut self, now: Instant) -> Permit {
        if self.blocked_until.is_some_and(|until| now < until) {
            return Permit::Blocked;
        }
        if self.rests_until.is_some_and(|until| now < until) {
            return Permit::Rest;
        }
        match &mut self.refused {
            Some(refused) if now < refused.until => {
                if refused.password.is_none() || now < refused.look_at {
                    return Permit::Rest;
                }
                refused.look_at = now + self.patience.look;
                Permit::WithAnotherPassword
            }
            _ => Permit::Go,
        }
    }

    /// True when this very password was refused a moment ago.
    pub(super) fn was_refused(&self, password: &Secret) -> bool {
        self.refused.as_ref().is_some_and(|refused| refused.password.as_ref() == Some(password))
    }

    /// A letter was answered, whatever the answer: the line is in order.
    pub(super) fn well(&mut self) {
        *self = Health::new(self.patience);
    }

    /// The first fault costs nothing: a server that was restarted is there again. From the second on the line rests,
    /// twice as long each time.
    pub(super) fn fault(&mut self, now: Instant) {
        let doublings = self.faults.saturating_sub(1).min(16);
        if self.faults > 0 {
            let rest = self.patience.rest.saturating_mul(1 << doublings).min(self.patience.longest_rest);
            self.rests_until = Some(now + rest);
        }
        self.faults = self.faults.saturating_add(1);
    }

    pub(super) fn login_refused(&mut self, now: Instant, password: Option<Secret>) {
        let [first, second, later] = LOGIN_RESTS;
        let rest = match self.logins_refused {
            0 => first,
            1 => second,
            _ => later,
        };
        self.logins_refused += 1;
        self.refused = Some(RefusedLogin { until: now + rest, password, look_at: now + self.patience.look });
    }

    /// The letters that are already on their way here are not tried; after that the loop knows to send no more.
    pub(super) fn blocked(&mut self, now: Instant) {
        self.blocked_until = Some(now + self.patience.longest_rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_line_rests_longer_each_time() {
        let mut health = Health::new(Patience::default());
        let mut now = Instant::now();
        let mut rests = Vec::new();
        for _ in 0..9 {
            health.fault(now);
            let began = now;
            while health.permit(now) == Permit::Rest {
                now += SECOND;
            }
            rests.push((now - began).as_secs());
        }
        assert_eq!(rests, [0, 2, 4, 8, 16, 32, 60, 60, 60]);
        health.well();
        health.fault(now);
        assert_eq!(health.permit(now), Permit::Go);
    }

    #[test]
    fn a_refused_password_is_tried_three_times_in_five_hours() {
        let mut health = Health::new(Patience::default());
        let start = Instant::now();
        let (mut now, mut tries) = (start, Vec::new());
        while now - start < SECOND * 5 * 3600 {
            if health.permit(now) == Permit::Go {
                tries.push((now - start).as_secs() / 60);
                health.login_refused(now, Some(Secret::new("old")));
            }
            now += SECOND * 7;
        }
        assert_eq!(tries, [0, 10, 70]);
        assert!(health.was_refused(&Secret::new("old")) && !health.was_refused(&Secret::new("new")));
    }

    #[test]
    fn the_way_to_another_password_is_not_walked_for_every_letter() {
        let mut health = Health::new(Patience::default());
        let start = Instant::now();
        health.login_refused(start, Some(Secret::new("old")));
        let looks = (0..300).filter(|second| health.permit(start + SECOND * *second) == Permit::WithAnotherPassword);
        assert_eq!(looks.count(), 29);
        health.login_refused(start, None);
        assert!((0..300).all(|second| health.permit(start + SECOND * second) == Permit::Rest), "a token is always new");
    }

    #[test]
    fn after_a_block_nothing_is_tried_for_a_minute() {
        let mut health = Health::new(Patience::default());
        let start = Instant::now();
        health.blocked(start);
        assert_eq!(health.permit(start + SECOND * 59), Permit::Blocked);
        assert_eq!(health.permit(start + SECOND * 60), Permit::Go);
    }
}
