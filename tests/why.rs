//! The chain of reasons: of whole games by mail, in both languages.
#![cfg(test)]

mod house;

use expect_test::{Expect, expect};
use house::House;
use omerta::desk::command::Command;
use omerta::journal::Entry;
use omerta::letters::Lang;
use omerta::letters::guard::reads_as_request;
use omerta::rules::{PlayerId, Role};
use omerta::why::{self, NoStory, Story};

const TOWN: [(&str, Role); 10] = [
    ("Анна", Role::Citizen),
    ("Борис", Role::Mafioso),
    ("Вера", Role::Sergeant),
    ("Глеб", Role::Commissioner),
    ("Дарья", Role::Doctor),
    ("Егор", Role::Citizen),
    ("Жанна", Role::Boss),
    ("Ирина", Role::Foundling),
    ("Кирилл", Role::Kamikaze),
    ("Лев", Role::Maniac),
];

fn journal(house: &mut House) -> Vec<(jiff::Timestamp, Entry)> {
    let store = &house.daemon().desk().store;
    let rows = store.read(|tx| {
        let head = tx.game("palermo")?.unwrap();
        tx.events_after(head.id, 0, 10_000)
    });
    rows.unwrap().into_iter().map(|row| (row.at, serde_json::from_str(&row.body).unwrap())).collect()
}

fn told(house: &mut House, lang: Lang, turn: Option<u16>, about: Option<u16>) -> String {
    let mut story = Story::of(journal(house), turn).unwrap();
    story.table.lang = lang;
    let chapters = why::explain(&story, about.map(PlayerId));
    let said = why::words::say(&story, &chapters, house.now());
    let text = format!("{}\n{}", why::words::title(&story, house.now()), why::words::plain(&said));
    // Even of players whose nicks are request words.
    for (player, nick) in
        story.table.game.players.iter_mut().zip(["Охота", "Голос", "Hunt", "Суд Линча"].iter().cycle())
    {
        player.nick = (*nick).to_owned();
    }
    let odd = why::words::plain(&why::words::say(&story, &chapters, house.now()));
    for line in text.lines().chain(odd.lines()) {
        assert!(!reads_as_request(line), "reads as a request: {line}");
    }
    text
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(text);
}

/// Turn 2: the clan is split, the kamikaze finds the commissioner, whose pistol has stood since turn 1; the doctor is
/// at another bed, and his first heal was replaced.
fn second_turn() -> House {
    let mut house = House::new();
    house.new_game("palermo", &TOWN, &[]);
    house.start("palermo");
    house.write("palermo", 3, "Пистолет - Жанна\nОхота - Борис");
    house.write("palermo", 1, "Убийство - Ирина");
    house.write("palermo", 5, "Лечение - Анна");
    house.close("palermo");
    for voter in [0, 1, 2, 3, 4, 6, 8, 9] {
        let nick = if voter % 2 == 0 { "Егор" } else { "Анна" };
        house.write("palermo", voter, &format!("Суд Линча - {nick}"));
    }
    house.write("palermo", 8, "Поиск - Глеб");
    house.write("palermo", 4, "Лечение - Глеб\nЛечение - Анна");
    house.write("palermo", 1, "Убийство - Анна\nЗаписка - Лев: никому ни слова");
    house.write("palermo", 6, "Убийство - Вера");
    house.write("palermo", 3, "Проверка - Борис");
    house.write("palermo", 7, "Охота - Лев");
    house.write("palermo", 9, "Убийство - Анна");
    house.close("palermo");
    house
}

#[test]
fn the_death_of_a_commissioner_is_explained_to_its_last_cause() {
    let mut house = second_turn();
    check(
        &told(&mut house, Lang::Ru, None, Some(3)),
        &expect![[r#"
            [palermo] Разбор хода 2. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

            Игрок Глеб (комиссар Каттани): погибает ночью
            1. Игрок Глеб (комиссар Каттани), письмо от 13:02:00 (30 ноября): «Суд Линча - Анна» — в силе (R64).
            2. Игрок Глеб (комиссар Каттани), письмо от 13:02:00 (30 ноября): «Проверка - Борис» — в силе, голос на суде есть (R23, R107).
            3. Игрок Глеб (комиссар Каттани) узнаёт о проверке: игрок Борис — мафиози (R23, A44).
            4. Игрок Кирилл (камикадзе), письмо от 13:02:00 (30 ноября): «Поиск - Глеб» — в силе, голос на суде есть (A55, R107).
            5. Игрок Глеб — комиссар на начало хода, и его находит камикадзе: Кирилл (камикадзе); смертельно (R50).
            6. Игрок Дарья (доктор), письмо от 13:02:00 (30 ноября): «Лечение - Глеб» — без действия, ниже есть более поздняя (A13).
            7. Игрок Дарья (доктор) лечит игрока Анна: помешать некому (R27).
            8. Игрок Глеб погибает; причины: камикадзе (взрыв) (R70).
            9. Игрок Глеб (комиссар Каттани) стреляет: приказ стоит с прежнего хода, цель — игрок Жанна, смертельно (R25, A50, A51).
            10. Игрок Вера (сержант): со следующего хода комиссар (R32, A53, A54).
            11. В итогах для всех названо: смерть ночью и роль, комиссар Каттани (R70).
            12. В итогах не названо: причина смерти (A64).
            13. Письмо игроку Глеб: итог проверки, игрок Борис (R23, R31).
            14. Письмо игроку Глеб: о гибели и о том, что можно призраку (R71, A72).
        "#]],
    );
    check(
        &told(&mut house, Lang::En, None, Some(3)),
        &expect![[r#"
            [palermo] Turn 2 explained. Roles and requests follow: for the host alone, not to be shown to players.

            Player Глеб (Commissioner Cattani): dies in the night
            1. Player Глеб (Commissioner Cattani), letter of 13:02:00 (30 November): “Lynch - Анна” — stands (R64).
            2. Player Глеб (Commissioner Cattani), letter of 13:02:00 (30 November): “Check - Борис” — stands, and so does the lynch vote (R23, R107).
            3. Player Глеб (Commissioner Cattani) learns of a check: Борис is mafioso (R23, A44).
            4. Player Кирилл (kamikaze), letter of 13:02:00 (30 November): “Seek - Глеб” — stands, and so does the lynch vote (A55, R107).
            5. Commissioner at the turn's start is Глеб, and the kamikaze finds him: Кирилл (kamikaze); it kills (R50).
            6. Player Дарья (doctor), letter of 13:02:00 (30 November): “Heal - Глеб” — without effect, replaced by a later one (A13).
            7. Player Дарья (doctor) heals Анна: nothing stands in the way (R27).
            8. Death of Глеб; causes: the kamikaze (explosion) (R70).
            9. Player Глеб (Commissioner Cattani) shoots at Жанна: the order stands since an earlier turn, it kills (R25, A50, A51).
            10. Player Вера (sergeant): commissioner from the next turn on (R32, A53, A54).
            11. The summary tells all: the death in the night and the role, Commissioner Cattani (R70).
            12. The summary does not tell: the cause of death (A64).
            13. A letter tells Глеб: what the check of Борис shows (R23, R31).
            14. A letter tells Глеб: of the death, and of what a ghost may do (R71, A72).
        "#]],
    );
}

#[test]
fn a_whole_turn_is_explained() {
    let mut house = second_turn();
    check(
        &told(&mut house, Lang::Ru, None, None),
        &expect![[r#"
            [palermo] Разбор хода 2. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

            Решение суда
            1. Против игрока Егор 5 голосов: Анна, Вера, Дарья, Жанна и Кирилл (R66).
            2. Против игрока Анна 3 голоса: Борис, Глеб и Лев (R66).
            3. Без голоса: Егор и Ирина (R105).
            4. Нужно голосов: 2 (считается от поданных голосов, их 8); больше всего набрано 5, этого довольно (R65, A28).
            5. Казнь: игрок Егор (R65).

            Игрок Анна (мирный житель): остаётся в игре
            1. Игрок Лев (маньяк), письмо от 13:02:00 (30 ноября): «Убийство - Анна» — в силе, голос на суде есть (R41, R107).
            2. К игроку Анна приходит маньяк: Лев (маньяк); доктор рядом, смерти нет (R55, A38).
            3. Против игрока Анна 3 голоса: Борис, Глеб и Лев (R66).
            4. В итогах не названо: нападение, которое не удалось (A43).

            Игрок Вера (сержант): остаётся в игре
            1. Игрок Вера (сержант): со следующего хода комиссар (R32, A53, A54).
            2. В итогах не названо: комиссаром становится игрок Вера (R32, A54).
            3. Письмо игроку Вера: итог проверки, игрок Борис (R23, R31).
            4. Письмо игроку Вера: комиссаром становится игрок Вера (R32, A54).

            Игрок Глеб (комиссар Каттани): погибает ночью
            1. Игрок Кирилл (камикадзе), письмо от 13:02:00 (30 ноября): «Поиск - Глеб» — в силе, голос на суде есть (A55, R107).
            2. Игрок Глеб — комиссар на начало хода, и его находит камикадзе: Кирилл (камикадзе); смертельно (R50).
            3. Игрок Дарья (доктор), письмо от 13:02:00 (30 ноября): «Лечение - Глеб» — без действия, ниже есть более поздняя (A13).
            4. Игрок Дарья (доктор) лечит игрока Анна: помешать некому (R27).
            5. Игрок Глеб погибает; причины: камикадзе (взрыв) (R70).
            6. Игрок Глеб (комиссар Каттани) стреляет: приказ стоит с прежнего хода, цель — игрок Жанна, смертельно (R25, A50, A51).
            7. Игрок Вера (сержант): со следующего хода комиссар (R32, A53, A54).
            8. В итогах для всех названо: смерть ночью и роль, комиссар Каттани (R70).
            9. В итогах не названо: причина смерти (A64).
            10. Письмо игроку Глеб: итог проверки, игрок Борис (R23, R31).
            11. Письмо игроку Глеб: о гибели и о том, что можно призраку (R71, A72).

            Игрок Егор (мирный житель): погибает на суде Линча
            1. Против игрока Егор 5 голосов: Анна, Вера, Дарья, Жанна и Кирилл (R66).
            2. Нужно голосов: 2 (считается от поданных голосов, их 8); больше всего набрано 5, этого довольно (R65, A28).
            3. Казнь: игрок Егор (R65).
            4. Игрок Егор погибает; причины: суд Линча (R70).
            5. Игрок Егор без голоса, но пропуск не записан: в игре его уже нет (A66).
            6. В итогах для всех названо: казнь и роль, мирный житель (R70).
            7. В итогах для всех названо: что голоса нет (A34).
            8. Письмо игроку Егор: о гибели и о том, что можно призраку (R71, A72).

            Игрок Жанна (босс): погибает ночью
            1. Игрок Глеб (комиссар Каттани) стреляет: приказ стоит с прежнего хода, цель — игрок Жанна, смертельно (R25, A50, A51).
            2. Игрок Жанна погибает; причины: комиссар (пистолет) (R70).
            3. Игрок Ирина (подкидыш): со следующего хода мафиози (R35, A57).
            4. В итогах для всех названо: выстрел, стреляет Глеб, и роль, босс (A52).
            5. Письмо игроку Жанна: о гибели и о том, что можно призраку (R71, A72).

            Игрок Ирина (подкидыш): остаётся в игре
            1. Игрок Ирина без голоса: пропуск 1, до исключения 2 (R105, A65).
            2. Игрок Ирина (подкидыш): со следующего хода мафиози (R35, A57).
            3. В итогах для всех названо: что голоса нет (A34).
            4. В итогах не названо: кто охотник (R61, A26).
            5. В итогах не названо: мафиози становится игрок Ирина (R36, A59).
            6. Письмо игроку Ирина: пропуск голосования (R105).
            7. Письмо игроку Ирина: мафиози становится игрок Ирина (R36, A59).
            8. Письмо игроку Борис: в клане теперь игрок Ирина (R36, A59).

            Игрок Кирилл (камикадзе): погибает ночью
            1. Игрок Кирилл (камикадзе), письмо от 13:02:00 (30 ноября): «Поиск - Глеб» — в силе, голос на суде есть (A55, R107).
            2. Камикадзе находит комиссара и гибнет вместе с ним: Кирилл; смертельно (R50).
            3. Игрок Кирилл погибает; причины: сам, при взрыве (R70).
            4. В итогах для всех названо: смерть ночью и роль, камикадзе (R70).
            5. В итогах не названо: причина смерти (A64).
            6. Письмо игроку Кирилл: о гибели и о том, что можно призраку (R71, A72).

            Что осталось без действия
            1. Игрок Дарья (доктор), письмо от 13:02:00 (30 ноября): «Лечение - Глеб» — без действия, ниже есть более поздняя (A13).
            2. Игрок Ирина (подкидыш), «Охота - Лев»: добыча — маньяк: ни он, ни охотник не гибнут (A23).
            3. Игрок Борис (мафиози), «Убийство - Анна»: клан назвал разных, убийство сорвалось (R45).
            4. Игрок Жанна (босс), «Убийство - Вера»: клан назвал разных, убийство сорвалось (R45).
            5. У мафии без заявки в силе и потому не в счёт: Кирилл (камикадзе) (R46, A62).

            Кто остался
            1. В живых мирных 3, мафии 2, маньяков 1: игра продолжается (R16, R17).
        "#]],
    );
    check(
        &told(&mut house, Lang::Ru, Some(1), None),
        &expect![[r#"
            [palermo] Разбор хода 1. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

            Решение суда
            1. В первом ходу суда нет (R97).

            Игрок Ирина (подкидыш): остаётся в игре
            1. Игрок Борис (мафиози), письмо от 12:00:00 (30 ноября): «Убийство - Ирина» — в силе (R41).
            2. У мафии без заявки в силе и потому не в счёт: Жанна (босс) и Кирилл (камикадзе) (R46, A62).
            3. Клан единодушен, жертва — игрок Ирина: Борис (мафиози); мафия не может убить подкидыша, смерти нет (R44, R33).
            4. В итогах не названо: нападение, которое не удалось (A43).

            Что осталось без действия
            1. Игрок Глеб (комиссар Каттани), письмо от 12:00:00 (30 ноября): «Охота - Борис» — не принято, в первом ходу такого нет (R98, A17).
            2. Игрок Егор (мирный житель), письмо от 12:00:00 (30 ноября): «Лечение - Анна» — не принято, это умение другой роли (R96, A15).

            Кто остался
            1. В живых мирных 6, мафии 3, маньяков 1: игра продолжается (R16, R17).
        "#]],
    );
    check(
        &told(&mut house, Lang::En, Some(2), None),
        &expect![[r#"
            [palermo] Turn 2 explained. Roles and requests follow: for the host alone, not to be shown to players.

            The court's verdict
            1. Against Егор: 5 votes, by Анна, Вера, Дарья, Жанна and Кирилл (R66).
            2. Against Анна: 3 votes, by Борис, Глеб and Лев (R66).
            3. Without a vote: Егор and Ирина (R105).
            4. Votes needed: 2 (taken of the votes cast, 8); the most for one are 5, that is enough (R65, A28).
            5. Hanged: Егор (R65).

            Player Анна (townsperson): stays in the game
            1. Player Лев (maniac), letter of 13:02:00 (30 November): “Kill - Анна” — stands, and so does the lynch vote (R41, R107).
            2. The maniac comes to Анна: Лев (maniac); the doctor is near, no death (R55, A38).
            3. Against Анна: 3 votes, by Борис, Глеб and Лев (R66).
            4. The summary does not tell: the attack that failed (A43).

            Player Вера (sergeant): stays in the game
            1. Player Вера (sergeant): commissioner from the next turn on (R32, A53, A54).
            2. The summary does not tell: Вера becomes commissioner (R32, A54).
            3. A letter tells Вера: what the check of Борис shows (R23, R31).
            4. A letter tells Вера: Вера becomes commissioner (R32, A54).

            Player Глеб (Commissioner Cattani): dies in the night
            1. Player Кирилл (kamikaze), letter of 13:02:00 (30 November): “Seek - Глеб” — stands, and so does the lynch vote (A55, R107).
            2. Commissioner at the turn's start is Глеб, and the kamikaze finds him: Кирилл (kamikaze); it kills (R50).
            3. Player Дарья (doctor), letter of 13:02:00 (30 November): “Heal - Глеб” — without effect, replaced by a later one (A13).
            4. Player Дарья (doctor) heals Анна: nothing stands in the way (R27).
            5. Death of Глеб; causes: the kamikaze (explosion) (R70).
            6. Player Глеб (Commissioner Cattani) shoots at Жанна: the order stands since an earlier turn, it kills (R25, A50, A51).
            7. Player Вера (sergeant): commissioner from the next turn on (R32, A53, A54).
            8. The summary tells all: the death in the night and the role, Commissioner Cattani (R70).
            9. The summary does not tell: the cause of death (A64).
            10. A letter tells Глеб: what the check of Борис shows (R23, R31).
            11. A letter tells Глеб: of the death, and of what a ghost may do (R71, A72).

            Player Егор (townsperson): dies at the lynch court
            1. Against Егор: 5 votes, by Анна, Вера, Дарья, Жанна and Кирилл (R66).
            2. Votes needed: 2 (taken of the votes cast, 8); the most for one are 5, that is enough (R65, A28).
            3. Hanged: Егор (R65).
            4. Death of Егор; causes: the lynch court (R70).
            5. No vote of Егор: no miss is written down for one who is out of the game (A66).
            6. The summary tells all: the hanging and the role, townsperson (R70).
            7. The summary tells all: that there is no vote (A34).
            8. A letter tells Егор: of the death, and of what a ghost may do (R71, A72).

            Player Жанна (Boss): dies in the night
            1. Player Глеб (Commissioner Cattani) shoots at Жанна: the order stands since an earlier turn, it kills (R25, A50, A51).
            2. Death of Жанна; causes: the commissioner (pistol) (R70).
            3. Player Ирина (foundling): mafioso from the next turn on (R35, A57).
            4. The summary tells all: the shot, by Глеб, and the role, Boss (A52).
            5. A letter tells Жанна: of the death, and of what a ghost may do (R71, A72).

            Player Ирина (foundling): stays in the game
            1. No vote of Ирина: miss 1, 2 mean expulsion (R105, A65).
            2. Player Ирина (foundling): mafioso from the next turn on (R35, A57).
            3. The summary tells all: that there is no vote (A34).
            4. The summary does not tell: who the hunter is (R61, A26).
            5. The summary does not tell: Ирина becomes a mafioso (R36, A59).
            6. A letter tells Ирина: the missed vote (R105).
            7. A letter tells Ирина: Ирина becomes a mafioso (R36, A59).
            8. A letter tells Борис: Ирина belongs to the clan now (R36, A59).

            Player Кирилл (kamikaze): dies in the night
            1. Player Кирилл (kamikaze), letter of 13:02:00 (30 November): “Seek - Глеб” — stands, and so does the lynch vote (A55, R107).
            2. The kamikaze finds the commissioner and dies with him: Кирилл; it kills (R50).
            3. Death of Кирилл; causes: by himself, in the explosion (R70).
            4. The summary tells all: the death in the night and the role, kamikaze (R70).
            5. The summary does not tell: the cause of death (A64).
            6. A letter tells Кирилл: of the death, and of what a ghost may do (R71, A72).

            What had no effect
            1. Player Дарья (doctor), letter of 13:02:00 (30 November): “Heal - Глеб” — without effect, replaced by a later one (A13).
            2. Player Ирина (foundling), “Hunt - Лев”: the prey is the maniac: neither he nor the hunter dies (A23).
            3. Player Борис (mafioso), “Kill - Анна”: the clan named several, and its plan failed (R45).
            4. Player Жанна (Boss), “Kill - Вера”: the clan named several, and its plan failed (R45).
            5. Of the clan without a request in force, and not reckoned with: Кирилл (kamikaze) (R46, A62).

            Who is left
            1. Alive are 3 of the town, 2 of the mafia, 1 maniacs: the game goes on (R16, R17).
        "#]],
    );
}

/// Turn 3: an expulsion, a loss of the vote, a second miss, a split count, a hunt that was not the first, talk, a note
/// whose author dies, and prose with a word too many.
#[test]
fn refusals_misses_and_the_hosts_acts_have_their_reasons() {
    let mut house = second_turn();
    house.write("palermo", 0, "Суд Линча - Вера\nОхота - Борис\nЛС - Вера: это тайна");
    house.write("palermo", 1, "Суд Линча - Анна\nУбийство - Нетакой");
    house.write("palermo", 2, "Охота\nОхота - Лев\nОхота - Борис\nОтмена - Охота\nПроверка - Глеб");
    house.write("palermo", 9, "Суд Линча - Вера");
    house.round();
    house.command("palermo", Command::Deprive { nicks: vec!["Лев".to_owned()], turns: 2 });
    house.command("palermo", Command::Warn { nick: "Дарья".to_owned(), text: "тише".to_owned() });
    house.command("palermo", Command::Expel { nick: "Вера".to_owned(), text: "правило 3".to_owned() });
    house.close("palermo");
    check(
        &told(&mut house, Lang::Ru, None, None),
        &expect![[r#"
            [palermo] Разбор хода 3. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

            Решение суда
            1. Против игрока Анна 1 голос: Борис (R66).
            2. Против игрока Вера 1 голос: Анна (R66).
            3. Без голоса: Дарья и Ирина (R105).
            4. В этом ходу не имеют права голоса: Лев; поэтому публикуется только итог (R109, R110).
            5. Нужно голосов: 1 (считается от поданных голосов, их 2); больше всего набрано 1, этого довольно (R65, A28).
            6. Поровну у нескольких: Анна и Вера; жребий указывает на игрока Анна (R68, A29).
            7. Казнь: игрок Анна (R65).

            Игрок Анна (мирный житель): погибает на суде Линча
            1. Против игрока Анна 1 голос: Борис (R66).
            2. Нужно голосов: 1 (считается от поданных голосов, их 2); больше всего набрано 1, этого довольно (R65, A28).
            3. Поровну у нескольких: Анна и Вера; жребий указывает на игрока Анна (R68, A29).
            4. Казнь: игрок Анна (R65).
            5. Игрок Анна погибает; причины: суд Линча (R70).
            6. В итогах для всех названо: казнь и роль, мирный житель (R70).
            7. В итогах не названо: кто охотник (R61, A26).
            8. Письмо игроку Анна: о гибели и о том, что можно призраку (R71, A72).

            Игрок Борис (мафиози): погибает ночью
            1. Игрок Анна (мирный житель), письмо от 21:02:00 (1 декабря): «Охота - Борис» — в силе (R58).
            2. Первой пришла эта охота: Анна (мирный житель); добыча, Борис (мафиози), гибнет по правилам; смертельно (R60).
            3. Игрок Борис погибает; причины: охотник (охота) (R70).
            4. Игрок Борис оставляет предсмертную записку; она передана игроку Лев (R78, A73).
            5. В итогах для всех названо: смерть ночью и роль, мафиози (R70).
            6. В итогах не названо: причина смерти (A64).
            7. В итогах не названо: кто добыча (R61, A26).
            8. В итогах не названо: предсмертная записка от игрока Борис игроку Лев (R75, A75).
            9. Письмо игроку Борис: о гибели и о том, что можно призраку (R71, A72).
            10. Письмо игроку Лев: предсмертная записка от игрока Борис игроку Лев (R75, A75).

            Игрок Вера (комиссар Каттани): исключение из игры
            1. Ведущий, 21:02:00 (1 декабря): игрок Вера, исключение, все заявки теряют силу (R86, A36).
            2. Против игрока Вера 1 голос: Анна (R66).
            3. Нужно голосов: 1 (считается от поданных голосов, их 2); больше всего набрано 1, этого довольно (R65, A28).
            4. Поровну у нескольких: Анна и Вера; жребий указывает на игрока Анна (R68, A29).
            5. Казнь: игрок Анна (R65).
            6. Игрок Вера (комиссар Каттани) не стреляет: исключение — не гибель (A51, A67).
            7. Игрок Вера исключён из игры, причина: решение ведущего (R86, R112).
            8. Нового комиссара нет: живого сержанта нет (R32, A54).
            9. В итогах для всех названо: исключение и роль, комиссар Каттани (A67).
            10. Письмо игроку Вера: исключение из игры (A67).

            Игрок Дарья (доктор): остаётся в игре
            1. Ведущий своими словами предупреждает: игрок Дарья (R112).
            2. Игрок Дарья без голоса: пропуск 1, до исключения 2 (R105, A65).
            3. Письмо игроку Дарья: пропуск голосования (R105).

            Игрок Ирина (подкидыш, ставший мафиози): исключение из игры
            1. Игрок Ирина без голоса: пропуск 2, до исключения 2 (R105, A65).
            2. Игрок Ирина исключён из игры, причина: пропущены голосования (правило 10) (R105).
            3. В итогах для всех названо: исключение и роль, подкидыш, ставший мафиози (A67).
            4. Письмо игроку Ирина: исключение из игры (A67).

            Игрок Лев (маньяк): остаётся в игре
            1. Ведущий, 21:02:00 (1 декабря): игрок Лев, лишение голоса на 2 хода (R88, A35).
            2. Игрок Лев без голоса, но пропуска в этом нет: голосовать было нельзя (A35).
            3. Игрок Борис оставляет предсмертную записку; она передана игроку Лев (R78, A73).
            4. В итогах не названо: лишение голоса (R109, A35).
            5. Письмо игроку Лев: лишение голоса (R109, A35).
            6. Письмо игроку Лев: предсмертная записка от игрока Борис игроку Лев (R75, A75).

            Что осталось без действия
            1. Игрок Борис (мафиози), письмо от 21:02:00 (1 декабря): «Убийство - неизвестный ник» — не принято, такого ника нет (A15).
            2. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): строка не понята, нет ника (A14).
            3. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Охота - Лев» — без действия, ниже есть более поздняя (A13).
            4. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Охота - Борис» — без действия, отозвана (A13).
            5. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): отозвано «Охота - Борис» (A13).
            6. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Проверка - Глеб» — не принято, игрок Глеб уже вне игры (A15).
            7. Игрок Лев (маньяк), письмо от 21:02:00 (1 декабря): «Суд Линча - Вера» — без действия, отправитель лишён голоса (R88, A35).
            8. У мафии без заявки в силе и потому не в счёт: Борис (мафиози) и Ирина (подкидыш, ставший мафиози) (R46, A62).

            Кто остался
            1. В живых мирных 1, мафии 0, маньяков 1: мафии больше нет, победа мирных (R16, A78).
        "#]],
    );
    check(
        &told(&mut house, Lang::En, None, Some(1)),
        &expect![[r#"
        [palermo] Turn 3 explained. Roles and requests follow: for the host alone, not to be shown to players.

        Player Борис (mafioso): dies in the night
        1. Player Борис (mafioso), letter of 21:02:00 (1 December): “Lynch - Анна” — stands (R64).
        2. Player Борис (mafioso), letter of 21:02:00 (1 December): “Kill - unknown nick” — refused, there is no such nick (A15).
        3. Player Анна (townsperson), letter of 21:02:00 (1 December): “Hunt - Борис” — stands (R58).
        4. First in the queue of hunters: Анна (townsperson); the prey, Борис (mafioso), dies by the rules; it kills (R60).
        5. Death of Борис; causes: a hunter (hunt) (R70).
        6. The death note of Борис is handed to Лев (R78, A73).
        7. The summary tells all: the death in the night and the role, mafioso (R70).
        8. The summary does not tell: the cause of death (A64).
        9. The summary does not tell: who the prey is (R61, A26).
        10. The summary does not tell: the death note of Борис to Лев (R75, A75).
        11. A letter tells Борис: of the death, and of what a ghost may do (R71, A72).
        12. A letter tells Лев: the death note of Борис to Лев (R75, A75).
    "#]],
    );
    check(
        &told(&mut house, Lang::Ru, None, Some(2)),
        &expect![[r#"
            [palermo] Разбор хода 3. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

            Игрок Вера (комиссар Каттани): исключение из игры
            1. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): строка не понята, нет ника (A14).
            2. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Охота - Лев» — без действия, ниже есть более поздняя (A13).
            3. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Охота - Борис» — без действия, отозвана (A13).
            4. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): отозвано «Охота - Борис» (A13).
            5. Игрок Вера (комиссар Каттани), письмо от 21:02:00 (1 декабря): «Проверка - Глеб» — не принято, игрок Глеб уже вне игры (A15).
            6. Ведущий, 21:02:00 (1 декабря): игрок Вера, исключение, все заявки теряют силу (R86, A36).
            7. Против игрока Вера 1 голос: Анна (R66).
            8. Нужно голосов: 1 (считается от поданных голосов, их 2); больше всего набрано 1, этого довольно (R65, A28).
            9. Поровну у нескольких: Анна и Вера; жребий указывает на игрока Анна (R68, A29).
            10. Казнь: игрок Анна (R65).
            11. Игрок Вера (комиссар Каттани) не стреляет: исключение — не гибель (A51, A67).
            12. Игрок Вера исключён из игры, причина: решение ведущего (R86, R112).
            13. Нового комиссара нет: живого сержанта нет (R32, A54).
            14. В итогах для всех названо: исключение и роль, комиссар Каттани (A67).
            15. Письмо игроку Вера: исключение из игры (A67).
        "#]],
    );
}

#[test]
fn no_text_of_a_note_or_of_talk_is_told_and_an_open_turn_shows_what_stands() {
    let mut house = second_turn();
    house.write("palermo", 1, "ЛС - Лев: никому ни слова\nКлану: никому ни слова\nСуд Линча - Лев");
    house.round();
    for turn in 1..=3 {
        for about in (0..10).map(Some).chain([None]) {
            for lang in [Lang::Ru, Lang::En] {
                assert!(!told(&mut house, lang, Some(turn), about).contains("никому"), "{turn} {about:?}");
            }
        }
    }
    check(
        &told(&mut house, Lang::Ru, Some(3), Some(1)),
        &expect![[r#"
        [palermo] Разбор хода 3. Ниже роли и заявки: это только для ведущего, игрокам не показывать.

        Игрок Борис (мафиози): ход ещё не закрыт
        1. Игрок Борис (мафиози), письмо от 21:02:00: «Суд Линча - Лев» — в силе (R64).
    "#]],
    );
    assert_eq!(Story::of(journal(&mut house), Some(4)).unwrap_err(), NoStory::NoTurn { asked: 4, last: 3 });
    assert_eq!(Story::of(journal(&mut house), Some(0)).unwrap_err(), NoStory::NoTurn { asked: 0, last: 3 });
    let begin: Vec<_> = journal(&mut house).into_iter().take(5).collect();
    assert_eq!(Story::of(begin, None).unwrap_err(), NoStory::NotBegun);
}

#[test]
fn the_command_prints_it_for_people_and_for_scripts() {
    let mut house = second_turn();
    let config = house.folder.join("config.toml");
    house.shut();
    let omerta = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.arg("--config").arg(&config).args(arguments).output().unwrap()
    };
    let said = omerta(&["game", "why", "palermo", "глеб", "--turn", "2"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("Глеб (комиссар Каттани): погибает ночью") && text.contains("A64"), "{text}");
    let said = omerta(&["game", "why", "palermo", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&json["tag"], &json["turn"]), (&"palermo".into(), &2.into()));
    assert_eq!(json["chapters"][0]["heading"], "Решение суда");
    assert_eq!(json["chapters"][0]["steps"][0]["clauses"], serde_json::json!(["R66"]));
    for (arguments, expected) in [
        (["game", "why", "palermo", "Никто"], "nobody in this game is called Никто"),
        (["game", "why", "palermo", "--turn=9"], "there is no turn 9: the last one is 3"),
        (["game", "why", "nowhere", "--turn=1"], "there is no game nowhere"),
    ] {
        let said = omerta(&arguments);
        assert_eq!(said.status.code(), Some(65));
        let error = String::from_utf8(said.stderr).unwrap();
        assert!(error.contains(expected), "{error}");
    }
}
