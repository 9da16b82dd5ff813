//! Phones that are away, agents that hang, and agents that end.

use super::*;

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_phone_that_is_away_is_waited_for_no_longer_than_the_tool_call_has() {
    let phone = Phone::new(LONG);
    let patience = Patience { away: LONG * 60, ..Patience::default() };
    let (laptop, cable) = phone.desk(patience);
    cable.pull();
    laptop.set_time_left(Some(SHORT));
    let failure = laptop.key(4).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Device);
    assert_eq!(failure.message, "the phone R5CT is no longer reached: no phone has the serial R5CT");

    // The next call has time of its own.
    laptop.set_time_left(None);
    cable.plug_in();
    assert!(laptop.is_reached());
    assert_eq!(laptop.key(3), Ok(true));
    assert_eq!(phone.asked(), ["uptime", "key 3"]);
}

#[test]
fn a_phone_that_comes_back_within_the_time_of_the_tool_call_does_what_it_was_asked_for() {
    let phone = Phone::new(LONG);
    let (laptop, cable) = phone.desk(Patience::default());
    laptop.set_time_left(Some(LONG));
    cable.pull();
    let dialed = cable.dialed.load(Ordering::Relaxed);
    let asking = laptop.clone();
    let asked = thread::spawn(move || asking.key(4));
    cable.plug_in();
    assert_eq!(asked.join().unwrap(), Ok(true));
    assert_eq!(cable.dialed.load(Ordering::Relaxed), dialed + 1);
    assert_eq!(phone.asked(), ["key 4"]);
}

#[test]
fn a_phone_that_is_away_for_too_long_is_given_up_however_long_the_tool_call_may_take() {
    let phone = Phone::new(LONG);
    let (laptop, cable) = phone.desk(Patience { away: SHORT, ..Patience::default() });
    cable.pull();
    laptop.set_time_left(Some(LONG * 60));
    let failure = laptop.key(4).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Device);
    assert!(!laptop.is_reached());
}

#[test]
fn an_answer_is_waited_for_no_longer_than_the_tool_call_has() {
    let phone = Phone::new(LONG);
    let (sender, receiver) = mpsc::channel::<()>();
    phone.paper.set(|answers| answers.hangs = Some(Arc::new(Mutex::new(receiver))));
    let (laptop, _) = phone.desk(Patience { answer: LONG * 60, ..Patience::default() });
    laptop.set_time_left(Some(SHORT));
    let failure = laptop.capture(Source::Service).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert_eq!(failure.message, "the phone did not answer within the time of the tool call");
    drop(sender);
    phone.paper.set(|answers| answers.hangs = None);
    laptop.set_time_left(None);
    assert_eq!(laptop.key(3), Ok(true));
}

#[test]
fn an_agent_that_a_tool_call_did_not_wait_for_is_found_to_hang() {
    let phone = Phone::new(LONG);
    let (laptop, restarts) = hanging(&phone, 1);
    laptop.set_time_left(Some(Duration::ZERO));
    assert_eq!(laptop.capture(Source::UiAutomation).unwrap_err().kind, FailureKind::Timeout);
    assert_eq!(restarts.load(Ordering::Relaxed), 0);
    laptop.set_time_left(None);
    let failure = laptop.key(4).unwrap_err();
    assert!(failure.message.starts_with("the agent on the phone hung and was started anew"), "{failure:?}");
    assert_eq!(restarts.load(Ordering::Relaxed), 1);
    assert_eq!(laptop.key(3), Ok(true));
}

/// A laptop, and what ends its agent, which is then started again, but for the first so many times.
struct Mortal {
    laptop: RemotePlatform,
    cable: Arc<Cable>,
    paper: Arc<Paper>,
    agents: Arc<Mutex<Vec<JoinHandle<Ended>>>>,
}

impl Mortal {
    fn new(phone: &Phone, in_vain: usize) -> Self {
        let agents = Arc::new(Mutex::new(Vec::new()));
        let (at, paper, started) = (phone.socket.0.clone(), phone.paper.clone(), agents.clone());
        let tries = AtomicUsize::new(0);
        let restart = move || {
            if tries.fetch_add(1, Ordering::Relaxed) < in_vain {
                return Err(Failure::new(FailureKind::Device, "the phone is starting"));
            }
            let (door, platform) = (Listening(UnixListener::bind(&at).unwrap()), paper.clone());
            let patience = server::Patience { alone: SHORT, silent: LONG };
            let agent =
                thread::spawn(move || serve(platform, "0.1.0", None, door, patience, &Cancel::default()));
            started.lock().unwrap().push(agent);
            Ok(())
        };
        let path = phone.socket.0.clone();
        let cable = Arc::new(Cable { path, restart: Some(Box::new(restart)), ..Cable::default() });
        let connected =
            RemotePlatform::connect(cable.clone(), "eve", "eve", Patience::default(), &Cancel::default());
        Self { laptop: connected.unwrap(), cable, paper: phone.paper.clone(), agents }
    }

    fn kill(&self) {
        std::fs::remove_file(&self.cable.path).unwrap();
        self.cable.has_ended.store(true, Ordering::Relaxed);
        self.cable.break_off();
    }
}

#[test]
fn an_agent_that_ended_is_started_again_once() {
    let phone = Phone::new(LONG);
    let mortal = Mortal::new(&phone, 0);
    mortal.kill();
    assert_eq!(mortal.laptop.capture(Source::UiAutomation), Ok(None));
    mortal.kill();
    let failure = mortal.laptop.key(4).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Device);
    assert_eq!(failure.message, "the agent on the phone ended again, after it was started anew");
}

#[test]
fn a_phone_that_is_about_to_start_is_waited_for() {
    let phone = Phone::new(LONG);
    let mortal = Mortal::new(&phone, 2);
    mortal.kill();
    assert_eq!(mortal.laptop.capture(Source::UiAutomation), Ok(None));
}

#[test]
fn an_agent_that_was_started_again_knows_what_to_undo() {
    let phone = Phone::new(LONG);
    let mortal = Mortal::new(&phone, 0);
    mortal.laptop.undo_when_alone(&[Undo::Rotation(1)]).unwrap();
    mortal.kill();
    assert_eq!(mortal.laptop.capture(Source::UiAutomation), Ok(None));
    phone.asked();
    let Mortal { laptop, paper, agents, .. } = mortal;
    drop(laptop);
    let agent = agents.lock().unwrap().pop().unwrap();
    assert_eq!(agent.join().unwrap(), Ended::Alone);
    assert_eq!(asked(&paper), ["rotate 1"]);
}

/// A laptop whose phone hangs when it is asked for its screen, until it was started again so often.
fn hanging(phone: &Phone, times: usize) -> (RemotePlatform, Arc<AtomicUsize>) {
    let restarts = Arc::new(AtomicUsize::new(0));
    let (paper, counted) = (phone.paper.clone(), restarts.clone());
    let hang = move |paper: &Paper| {
        let (sender, receiver) = mpsc::channel();
        paper.set(|answers| answers.hangs = Some(Arc::new(Mutex::new(receiver))));
        sender
    };
    let (held, at) = (Mutex::new(Some(hang(&paper))), phone.socket.0.clone());
    let restart = move || {
        let again = counted.fetch_add(1, Ordering::Relaxed) + 1 < times;
        paper.set(|answers| answers.hangs = None);
        // Dropped, the old one lets its thread go.
        *held.lock().unwrap() = again.then(|| hang(&paper));
        // Another process, which knows nothing of the old one.
        std::fs::remove_file(&at).unwrap();
        let (door, platform) = (Listening(UnixListener::bind(&at).unwrap()), paper.clone());
        thread::spawn(move || {
            serve(platform, "0.1.0", None, door, server::Patience::default(), &Cancel::default())
        });
        Ok(())
    };
    let path = phone.socket.0.clone();
    let cable = Cable { path, restart: Some(Box::new(restart)), ..Cable::default() };
    let short = Duration::from_millis(100);
    let patience =
        Patience { answer: short, deed: short, others: short, away: LONG, grace: short, steady: LONG };
    let laptop = RemotePlatform::connect(Arc::new(cable), "eve", "eve@laptop", patience, &Cancel::default());
    (laptop.unwrap(), restarts)
}

#[test]
fn an_agent_that_hangs_is_started_again_once() {
    let phone = Phone::new(LONG);
    let (laptop, restarts) = hanging(&phone, 1);
    assert_eq!(laptop.capture(Source::UiAutomation), Ok(None));
    assert_eq!(restarts.load(Ordering::Relaxed), 1);
    assert_eq!(laptop.key(4), Ok(true));

    let phone = Phone::new(LONG);
    let (laptop, restarts) = hanging(&phone, 2);
    let failure = laptop.capture(Source::UiAutomation).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Device);
    assert_eq!(failure.message, "the agent on the phone hung again, after it was started anew");
    assert_eq!(restarts.load(Ordering::Relaxed), 1);
}
