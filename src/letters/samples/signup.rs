//! What those are told who sign up, and their host.

use super::{Sample, arrived, deadline, heading, next_deadline, s};
use crate::journal::HowEnded;
use crate::letters::roster::{RosterEntry, RosterPost};
use crate::letters::signup::{ApplicantStands, Handshake, JoinFate, JoinLine, Joined, PlaceSaid, SignupStands};
use crate::letters::{Alert, GameName, Heading, Lang, Letter, Orders, SeatOffer, Stands, Stranger};
use crate::photo::PhotoFault;
use crate::request::ProblemKind;
use crate::rules::Gender;
use crate::signup::{Missing, NickFault};

fn joined(place: PlaceSaid) -> Joined {
    Joined {
        arrived: None,
        place,
        lines: Vec::new(),
        missing: Vec::new(),
        nick: s("Анна"),
        characteristic: s("держит кафе и не спит"),
        gender: Some(Gender::Female),
        forum_name: true,
        photograph: true,
        lot_word: Some(s("рябина")),
        handshake: false,
        open: true,
        until: Some(deadline()),
        text: None,
        rules: None,
        commitment: s("630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"),
    }
}

pub(super) fn signup(lang: Lang, samples: &mut Vec<Sample>) {
    let mut add_at_0 = |name: &str, letter: Letter| samples.push((s(name), heading(lang, 0), letter));
    let mut put = |name: &str, joined: Joined| add_at_0(name, Letter::Joined(Box::new(joined)));
    put(
        "joined",
        Joined {
            arrived: Some(arrived()),
            lines: vec![line("Заявка - Анна", JoinFate::Taken)],
            ..joined(PlaceSaid::Kept)
        },
    );
    put("joined-first", first());
    put("joined-lines", every_line());
    put("joined-pending", Joined { until: None, ..joined(PlaceSaid::Pending) });
    put("joined-waiting", joined(PlaceSaid::Waiting { before: 2 }));
    put(
        "joined-left",
        Joined {
            arrived: Some(arrived()), lines: vec![line("Отказ", JoinFate::LeftNow)], ..joined(PlaceSaid::Left)
        },
    );
    let closed = |place| Joined { open: false, until: None, ..joined(place) };
    put("joined-closed", Joined { missing: vec![Missing::Photograph], photograph: false, ..closed(PlaceSaid::Kept) });
    put("joined-handshake", Joined { arrived: Some(arrived()), handshake: true, ..closed(PlaceSaid::Kept) });
    put("joined-declined", joined(PlaceSaid::Declined));
    put("joined-dropped", Joined { nick: String::new(), ..closed(PlaceSaid::Dropped) });
    put("joined-left-out", closed(PlaceSaid::LeftOut));
    put("joined-reserve", closed(PlaceSaid::Reserve { before: 1, begins: true }));
    let yes = vec![line("Да", JoinFate::TookSeat)];
    put("joined-asked", Joined { arrived: Some(arrived()), ..closed(PlaceSaid::SeatOffered { until: deadline() }) });
    put("joined-seat", Joined { arrived: Some(arrived()), lines: yes, ..closed(PlaceSaid::SeatYours) });
    put("joined-offer-gone", closed(PlaceSaid::OfferGone));
    let late = vec![line("Да", JoinFate::NothingOffered)];
    let place = PlaceSaid::Reserve { before: 0, begins: false };
    put("joined-too-late", Joined { arrived: Some(arrived()), lines: late, ..closed(place) });
    put(
        "joined-none",
        Joined {
            arrived: Some(arrived()),
            lines: vec![line("Отказ", JoinFate::NothingToLeave)],
            ..joined(PlaceSaid::None)
        },
    );
    let alert =
        Alert::AwaitsAcceptance { nick: s("Анна"), characteristic: s("держит кафе и не спит") };
    add_at_0("alert-acceptance", Letter::Alert(alert));
    let bare = Alert::AwaitsAcceptance { nick: s("Анна"), characteristic: String::new() };
    add_at_0("alert-acceptance-bare", Letter::Alert(bare));
    let alert = |how, next| Letter::Alert(Alert::SeatNotTaken { nick: s("Вера"), who: s("Лев"), how, next });
    let next = Some((s("Зоя"), next_deadline()));
    samples.push((s("alert-seat-next"), heading(lang, 3), alert(HowEnded::Declined, next)));
    samples.push((s("alert-seat-nobody"), heading(lang, 3), alert(HowEnded::Silent, None)));
    let (who, next) = (String::new(), Some((String::new(), next_deadline())));
    let nameless = Alert::SeatNotTaken { nick: s("Вера"), who, how: HowEnded::Unfit, next };
    samples.push((s("alert-seat-nameless"), heading(lang, 3), Letter::Alert(nameless)));
    samples.push((s("handshake"), heading(lang, 0), Letter::Handshake(Handshake { nick: s("Анна") })));
    samples.push((s("handshake-no-nick"), heading(lang, 0), Letter::Handshake(Handshake { nick: String::new() })));
    let entry = |nick: &str, picture: Option<&str>| RosterEntry {
        nick: s(nick),
        characteristic: s("держит кафе и не спит"),
        picture: picture.map(s),
        applicant: None,
    };
    let players = vec![entry("Анна", Some("01-anna.jpg")), entry("Дядя Стёпа", None)];
    samples.push((s("roster"), heading(lang, 0), Letter::Roster(RosterPost { players, photographs: 1 })));
    let password = Alert::ChangePassword { nick: s("Вера"), forum_name: s("Аптекарша") };
    samples.push((s("alert-password"), heading(lang, 3), Letter::Alert(password)));
    for (name, wrong, of_all) in [("host", 10, false), ("all", 100, true)] {
        let rest = Alert::WordsRest { wrong, of_all, until: deadline() };
        samples.push((format!("alert-words-{name}"), heading(lang, 3), Letter::Alert(rest)));
    }
    let offer = SeatOffer {
        nick: s("Вера"), characteristic: s("держит кафе и не спит"), until: deadline()
    };
    samples.push((s("offer"), heading(lang, 3), Letter::Offer(offer)));
    samples.push((s("orders-signup"), heading(lang, 0), Letter::Orders(status())));
    let game = GameName { tag: s("palermo"), title: s("Палермо, зима") };
    let outside = Heading { game: None, ..heading(lang, 0) };
    let how = Letter::Refused(Stranger::HowToJoin { games: vec![game.clone()] });
    samples.push((s("refused-how-to-join"), outside.clone(), how));
    samples.push((s("refused-signup-closed"), outside, Letter::Refused(Stranger::SignupClosed { game })));
}

fn line(said: &str, fate: JoinFate) -> JoinLine {
    JoinLine { said: s(said), fate }
}

fn first() -> Joined {
    Joined {
        arrived: Some(arrived()),
        lines: vec![line("Заявка - Аня: Ваня", JoinFate::Nick { fault: NickFault::Unfit })],
        missing: vec![Missing::Character, Missing::Characteristic, Missing::Photograph],
        nick: String::new(),
        characteristic: String::new(),
        gender: None,
        forum_name: false,
        photograph: false,
        lot_word: None,
        text: Some(s("Зима, порт, чужие чемоданы.\nИграем каждый вечер.")),
        rules: Some(vec![(s("photo_required"), s("false"))]),
        ..joined(PlaceSaid::Kept)
    }
}

fn every_line() -> Joined {
    let lines = vec![
        line("Заявка - Борис", JoinFate::Nick { fault: NickFault::Taken }),
        line("Заявка - Молчал", JoinFate::Nick { fault: NickFault::Word }),
        line("Заявка - Мафия", JoinFate::Nick { fault: NickFault::Misleading }),
        line("Жребий - рябина", JoinFate::Word),
        line("Статус", JoinFate::Answered),
        line("Жребий", JoinFate::Problem { problem: ProblemKind::NoArgument }),
        line("Жрибий - кит", JoinFate::Problem { problem: ProblemKind::MisspeltWord }),
        line("Отказ", JoinFate::Problem { problem: ProblemKind::BelowSignature }),
        line("Re: Отказ", JoinFate::Problem { problem: ProblemKind::SubjectReply }),
        line("Отказ", JoinFate::TooLate),
        line("Линч - Борис", JoinFate::NotNow),
        line("", JoinFate::Unread { too_large: true }),
        line("", JoinFate::Photograph { fault: None }),
        line("", JoinFate::Photograph { fault: Some(PhotoFault::Heic) }),
        line("", JoinFate::Photograph { fault: Some(PhotoFault::TooLarge) }),
    ];
    Joined { arrived: Some(arrived()), lines, gender: Some(Gender::Male), ..joined(PlaceSaid::Kept) }
}

fn status() -> Orders {
    let one = |nick: &str, missing: &[Missing]| ApplicantStands { nick: s(nick), missing: missing.to_vec() };
    let signup = SignupStands {
        open: true,
        until: Some(deadline()),
        silent: vec![s("Анна"), String::new()],
        kept: vec![one("Анна", &[]), one("", &[Missing::Character])],
        pending: vec![one("Глеб", &[Missing::Photograph])],
        waiting: vec![one("Лев", &[])],
    };
    let stands = Stands {
        state: s("signup"),
        phase: None,
        turn: 0,
        deadline: None,
        held: None,
        publishes: None,
        living: Vec::new(),
        owing: Vec::new(),
        signup: Some(signup),
    };
    Orders {
        arrived: arrived(),
        lines: Vec::new(),
        stands: Some(stands),
        reasons: None,
        forms: Vec::new(),
        bare_yes: None,
    }
}
