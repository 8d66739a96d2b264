//! Bodies of replies as mail programs make them, written for these tests. What a program puts round its quote, in plain
//! text and in HTML.

/// How a program marks the lines that it quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Angle,
    /// The Bat!: the writer's initials.
    Initials,
    /// Not at all: all below is quote.
    None,
}

/// A program's plain text: what stands above its quote, how it marks it, and the footer under the writer's own words.
pub struct Plain {
    pub program: &'static str,
    pub above: &'static [&'static str],
    pub mark: Mark,
    pub footer: &'static str,
}

const fn plain(program: &'static str, above: &'static [&'static str], mark: Mark, footer: &'static str) -> Plain {
    Plain { program, above, mark, footer }
}

#[rustfmt::skip]
pub const PLAIN: &[Plain] = &[
    plain("Gmail", &["ср, 26 нояб. 2026 г. в 15:19, Омерта <game@game.test>:"], Mark::Angle, ""),
    plain("Gmail, wrapped", &["ср, 26 нояб. 2026 г. в 15:19, Игра «Палермо, серия вторая»", "<palermo-second-season@game.test>:"], Mark::Angle, ""),
    plain("Gmail, English", &["On Wed, Nov 26, 2026 at 3:19 PM Omerta <game@game.test> wrote:"], Mark::Angle, ""),
    plain("Gmail, English, wrapped in three", &["On Wed, Nov 26, 2026 at 3:19 PM Omerta, the second season", "<palermo-second-season@game.test>", "wrote:"], Mark::Angle, ""),
    plain("Gmail, old", &["2026-11-26 15:19 GMT+03:00 Омерта <", "game@game.test>:"], Mark::Angle, ""),
    plain("Gmail, Android", &["среда, 26 ноября 2026 г. пользователь Омерта <game@game.test> написал:"], Mark::Angle, ""),
    plain("Gmail, user of", &["26 нояб. 2026 г. 15:19 пользователь \"Омерта\" <", "game@game.test> написал:"], Mark::Angle, ""),
    plain("Yandex", &["26.11.2026, 15:19, \"Омерта\" <game@game.test>:"], Mark::Angle, ""),
    plain("Yandex, phone", &["26.11.2026, 15:19, \"Омерта\" <game@game.test>:"], Mark::Angle, "Отправлено из мобильной Яндекс Почты"),
    plain("Yandex, new", &["----------------", "Кому: Боцман (bot@game.test);", "Тема: [palermo] ход 3;", "26.11.2026, 15:19, \"Омерта\" <game@game.test>:"], Mark::Angle, "-- "),
    plain("Mail.ru", &["Среда, 26 ноября 2026, 15:19 +03:00 от Омерта <game@game.test>:"], Mark::Angle, "--"),
    plain("Mail.ru, app", &["Среда, 26 ноября 2026, 15:19 +03:00 от Омерта <game@game.test>:"], Mark::Angle, "Отправлено из Почты Mail.ru"),
    plain("Mail.ru, unmarked", &["Среда, 26 ноября 2026, 15:19 +03:00 от Омерта <game@game.test>:"], Mark::None, ""),
    plain("Mail.ru, phone", &["среда, 26 ноября 2026 г., 15:19 +0300 от game@game.test:"], Mark::Angle, "Отправлено из Почты Mail"),
    plain("Mail.ru, two lines", &["-------- Пересылаемое сообщение --------", "От кого: Омерта <game@game.test>", "Кому: bot@game.test", "Дата: Среда, 26 ноября 2026, 15:19 +03:00", "Тема: [palermo] ход 3"], Mark::None, ""),
    plain("Apple", &["26 нояб. 2026 г., в 15:19, Омерта <game@game.test> написал(а):"], Mark::Angle, ""),
    plain("iPhone", &["26 нояб. 2026 г., в 15:19, Омерта <game@game.test> написал(а):"], Mark::Angle, "Отправлено с iPhone"),
    plain("iPhone, wrapped", &["26 нояб. 2026 г., в 15:19, Омерта", "<game@game.test> написал(а):"], Mark::Angle, "Отправлено с моего iPad"),
    plain("iPhone, English", &["On 26 Nov 2026, at 15:19, Omerta <game@game.test> wrote:"], Mark::Angle, "Sent from my iPhone"),
    plain("Outlook", &["-----Исходное сообщение-----", "От: Омерта [mailto:game@game.test]", "Отправлено: 26 ноября 2026 г. 15:19", "Кому: bot@game.test", "Тема: [palermo] ход 3"], Mark::None, ""),
    plain("Outlook, new", &["________________________________", "От: Омерта <game@game.test>", "Отправлено: среда, 26 ноября 2026 г. 15:19:02", "Кому: bot@game.test <bot@game.test>", "Тема: [palermo] ход 3"], Mark::None, ""),
    plain("Outlook, bare", &["From: Omerta <game@game.test>", "Sent: Wednesday, November 26, 2026 3:19 PM", "To: bot@game.test", "Subject: [palermo] turn 3"], Mark::None, ""),
    plain("Outlook, phone", &["________________________________", "From: Omerta <game@game.test>", "Sent: Wednesday, November 26, 2026 3:19:02 PM", "To: bot@game.test", "Subject: [palermo] turn 3"], Mark::None, "Get Outlook for Android<https://aka.ms/x>"),
    plain("Outlook, stars", &["*От:* Омерта", "*Отправлено:* 26 ноября", "*Кому:* bot@game.test", "*Тема:* ход 3"], Mark::None, ""),
    plain("Hotmail, old", &["Date: Wed, 26 Nov 2026 15:19:45 +0300", "Subject: [palermo] turn 3", "From: game@game.test", "To: bot@game.test"], Mark::None, ""),
    plain("Windows Mail", &["От: Омерта", "Отправлено: ‎среда‎, ‎26‎ ‎ноября‎ ‎2026‎ г. ‎15‎:‎19", "Кому: bot@game.test"], Mark::None, ""),
    plain("Thunderbird", &["26.11.2026 15:19, Омерта пишет:"], Mark::Angle, "-- "),
    plain("Thunderbird, English", &["On 26.11.2026 15:19, Omerta wrote:"], Mark::Angle, "-- "),
    plain("Thunderbird, forwarded", &["-------- Перенаправленное сообщение --------", "Тема: \t[palermo] ход 3", "Дата: \tWed, 26 Nov 2026 15:19:45 +0300", "От: \tОмерта <game@game.test>", "Кому: \tbot@game.test"], Mark::None, ""),
    plain("Roundcube", &["Омерта писал(а) 2026-11-26 15:19:"], Mark::Angle, "-- "),
    plain("The Bat!", &["Здравствуйте, Омерта.", "", "Вы писали 26 ноября 2026 г., 15:19:"], Mark::Initials, "-- "),
    plain("The Bat!, angle", &["Вы писали среда, 26 ноября 2026 г., 15:19:46:"], Mark::Angle, "-- "),
    plain("Ukrainian", &["26.11.2026 15:19, Омерта пише:"], Mark::Angle, "Надіслано з iPhone"),
    plain("Ukrainian Gmail", &["ср, 26 лист. 2026 р. о 15:19 Омерта <game@game.test> пише:"], Mark::Angle, ""),
    plain("Samsung", &["-------- Исходное сообщение --------", "От: Омерта <game@game.test>", "Дата: 26.11.2026 15:19 (GMT+03:00)", "Кому: bot@game.test", "Тема: [palermo] ход 3"], Mark::None, "Отправлено с моего Galaxy"),
    plain("Proton", &["------- Original Message -------", "On Wednesday, November 26th, 2026 at 15:19, Omerta <game@game.test> wrote:"], Mark::Angle, "Sent with Proton Mail secure email."),
    plain("Yahoo", &["    On Wednesday, November 26, 2026 at 03:19:00 PM GMT+3, Omerta <game@game.test> wrote:"], Mark::Angle, "Sent from Yahoo Mail on Android"),
    plain("Zoho", &["---- On Wed, 26 Nov 2026 15:19:36 +0300 Omerta <game@game.test> wrote ----"], Mark::None, ""),
    plain("German", &["Am 26.11.2026 um 15:19 schrieb Omerta <game@game.test>:"], Mark::Angle, "Von meinem iPhone gesendet"),
    plain("no attribution", &[], Mark::Angle, ""),
];

/// A program's page: `OWN`, `QUOTED` and, where one can answer there, `BELOW`.
#[rustfmt::skip]
pub const PAGES: &[(&str, &str)] = &[
    ("Gmail", r#"<div dir="ltr"><div>OWN</div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">ср, 26 нояб. 2026 г. в 15:19, Омерта &lt;<a href="mailto:game@game.test">game@game.test</a>&gt;:<br></div><blockquote class="gmail_quote" style="margin:0"><div>QUOTED</div></blockquote></div><div>BELOW</div>"#),
    ("Gmail, phone", r#"<div dir="auto">OWN</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">ср, 26 нояб. 2026 г., 15:19 Омерта &lt;game@game.test&gt;:<br></div><blockquote class="gmail_quote">QUOTED</blockquote></div>"#),
    ("Gmail, forwarded", r#"<div dir="ltr">OWN<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>От: <b>Омерта</b><br>Date: ср<br>Subject: ход 3<br>To: bot<br></div><br><br><div>QUOTED</div></div></div>"#),
    ("Outlook", r#"<body lang=RU><div class=WordSection1><p class=MsoNormal>OWN<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p class=MsoNormal><b>From:</b> Омерта &lt;game@game.test&gt; <br><b>Sent:</b> Wednesday, November 26, 2026 3:19 PM<br><b>To:</b> bot@game.test<br><b>Subject:</b> ход 3<o:p></o:p></p></div></div><p class=MsoNormal>QUOTED<o:p></o:p></p></div></body>"#),
    ("Outlook in Russian", r#"<div class=WordSection1><p class=MsoNormal>OWN</p><p class=MsoNormal><b>От:</b> Омерта<br><b>Отправлено:</b> 26 ноября<br><b>Кому:</b> bot@game.test<br><b>Тема:</b> ход 3</p><p class=MsoNormal>QUOTED</p></div>"#),
    ("Outlook on the web", r#"<div style="font-family:Calibri">OWN</div><div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg" dir="ltr"><b>От:</b> Омерта<br><b>Отправлено:</b> 26 ноября</div><div>&nbsp;</div><div>QUOTED</div>"#),
    ("Hotmail", r#"<body class='hmmessage'><div dir='ltr'>OWN<br><div><hr id="stopSpelling">Date: Thu, 26 Jun<br>Subject: Test<br>From: a@b.test<br>To: c@d.test<br><br><div>QUOTED</div></div></div></body>"#),
    ("Apple", r#"<html><body dir="auto">OWN<br><br><div dir="ltr">Отправлено с iPhone</div><div dir="ltr"><br><blockquote type="cite">26 нояб. 2026 г., в 15:19, Омерта &lt;game@game.test&gt; написал(а):<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">QUOTED</div></blockquote></body></html>"#),
    ("Apple, phone, answered below", r#"<html><body dir="auto"><div dir="ltr">OWN</div><div dir="ltr">Отправлено с iPhone</div><div dir="ltr"><br><blockquote type="cite">26 нояб. 2026 г., в 15:19, Омерта &lt;game@game.test&gt; написал(а):<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">QUOTED</div></blockquote><div>BELOW</div></body></html>"#),
    ("Apple, desk", r#"<div>OWN</div><div><br><blockquote type="cite"><div>26 нояб. 2026 г., в 15:19, Омерта написал(а):</div><br><div><div>QUOTED</div></div></blockquote></div><div>BELOW</div>"#),
    ("Yandex", r#"<div>OWN</div><div>&nbsp;</div><div>26.11.2026, 15:19, "Омерта" &lt;game@game.test&gt;:</div><blockquote><div>QUOTED</div></blockquote><div>BELOW</div>"#),
    ("Yandex, phone", r#"<div>OWN<br /><br />-- <br />Отправлено из мобильной Яндекс Почты</div><br />26.11.2026, 15:19, Омерта:<blockquote><p>QUOTED</p></blockquote>"#),
    ("Mail.ru", r#"<HTML><BODY><div>OWN<br>&nbsp;</div><blockquote style="border-left:1px solid #0857A6;margin:10px;padding:0 0 0 10px;">Среда, 26 ноября 2026, 15:19 +03:00 от Омерта &lt;<a href="mailto:game@game.test">game@game.test</a>&gt;:<br>&nbsp;<div id="style_1_BODY"><div class="cl_1">QUOTED</div></div></blockquote><div>BELOW</div></BODY></HTML>"#),
    ("Mail.ru, phone", r#"<div>OWN<br><br>--<br>Отправлено из Почты Mail.ru</div><blockquote style="border-left:1px solid #0857A6;">Среда, 26 ноября 2026, 15:19 +03:00 от Омерта &lt;game@game.test&gt;:<br><div>QUOTED</div></blockquote><div>BELOW</div>"#),
    ("Mail.ru, collapsed", r#"<div>OWN</div><div class="mail-quote-collapse">Среда, 26 ноября 2026, 15:19 +03:00 от Омерта &lt;game@game.test&gt;:<br><blockquote>QUOTED</blockquote></div>"#),
    ("The Bat!", r#"<html><body><span style="font-family:Arial">OWN<br><br>Вы писали 26 ноября 2026 г., 15:19:<br><br></span><table bgcolor=#ffffff><tr><td width=2 bgcolor=#0000ff><br></td><td><span>&gt; QUOTED</span></td></tr></table></body></html>"#),
    ("Thunderbird", r#"<body><p>OWN</p><div class="moz-cite-prefix">26.11.2026 15:19, Омерта пишет:<br></div><blockquote type="cite" cite="mid:a@b"><pre class="moz-quote-pre" wrap="">QUOTED</pre></blockquote><p>BELOW</p></body>"#),
    ("Thunderbird, unclosed", r#"<html><head><meta charset="utf-8"><body><p>OWN<div class="moz-cite-prefix">On 26.11.2026 15:19, Omerta wrote:<blockquote type="cite"><p>QUOTED</p></p></blockquote></div>BELOW"#),
    ("Yahoo", r#"<div class="yahoo-style-wrap">OWN</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Wednesday, Omerta wrote:</div><div>QUOTED</div></div>"#),
    ("Proton", r#"<div>OWN</div><div class="protonmail_quote">------- Original Message -------<br>On Wednesday, Omerta wrote:<br><blockquote class="protonmail_quote">QUOTED</blockquote></div>"#),
    ("Roundcube", r#"<body><p>OWN</p><p id="reply-intro">Омерта писал(а) 2026-11-26 15:19:</p><blockquote type="cite"><div>QUOTED</div></blockquote><div>BELOW</div></body>"#),
    ("Samsung", r#"<div dir="auto">OWN</div><div>-------- Исходное сообщение --------</div><div>От: Омерта</div><div>Дата: 26.11.2026</div><div>Кому: bot</div><div>Тема: ход 3</div><div><br></div>QUOTED"#),
    ("Gmail, answered inside", r#"<div dir="ltr">OWN</div><div class="gmail_quote"><div class="gmail_attr">ср, 26 нояб. 2026 г. в 15:19, Омерта:<br></div><blockquote class="gmail_quote"><div>QUOTED</div></blockquote><div>BELOW</div></div>"#),
];
