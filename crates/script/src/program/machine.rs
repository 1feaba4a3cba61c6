//! The Lua state of one thread, in which the scripts of all its users run.
//!
//! Users share only code: a script cannot set globals, and cannot reach the mutable parts of the
//! standard library.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use mlua::{
    ChunkMode, Error, Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Thread, Value,
    VmState,
};

use super::{Answer, Inner, Program, library};

/// Instructions between two checks of how long a script has run.
const STRETCH: u32 = 100_000;
/// After this many of them without playing a step a loop counts as endless: about a tenth of a
/// second, in which no other user of the thread makes progress.
const MOST_STRETCHES: u32 = 100;
/// Finished coroutines of a script that are kept for the next users.
const MOST_IDLE: usize = 1_000;
/// Memory that the scripts of a thread may take, in bytes.
const MOST_MEMORY: usize = 1 << 30;

/// Creates the environment that scripts see.
const PRELUDE: &str = include_str!("prelude.lua");

/// What a script wants.
pub(super) enum Wanted {
    Play(usize, bool),
    Pause(f64),
    End,
    Fail(String),
}

/// The Lua state of a thread.
pub(super) struct Machine {
    lua: Lua,
    /// Makes the environment of a script from its steps and variables.
    world: Function,
    /// Turns a script into one that can be played again and again.
    again: Function,
    /// By the IDs of their programs. There are few.
    scripts: BTreeMap<u64, Script>,
}

/// A script that has been read.
struct Script {
    function: Function,
    may_loop: bool,
    /// Coroutines that have reached its end, and can start again.
    idle: Vec<Thread>,
}

thread_local! {
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
    static STRETCHES: Cell<u32> = const { Cell::new(0) };
}

/// The first line of an error, with its place in the script; further lines are about our own code.
fn sentence(error: &Error) -> String {
    let whole = match error {
        Error::CallbackError { cause, traceback } => {
            let place = script_place(traceback);
            return format!("{}{}", place.unwrap_or_default(), sentence(cause));
        }
        other => other.to_string(),
    };
    let first = whole.lines().next().unwrap_or_default();
    let prefixes = ["runtime error: ", "syntax error: "];
    let bare = prefixes
        .iter()
        .find_map(|prefix| first.strip_prefix(prefix));
    bare.unwrap_or(first).to_owned()
}

/// The place in a script where something happened, `buy.lua:12: `, from the traceback.
fn script_place(traceback: &str) -> Option<String> {
    let mut calls = traceback.lines().map(str::trim);
    let call = calls.find(|call| {
        let is_ours = ["[C]", "prelude:", "stack traceback", "["];
        call.contains(": in ") && !is_ours.iter().any(|start| call.starts_with(start))
    })?;
    let (place, _) = call.split_once(": in ")?;
    Some(format!("{place}: "))
}

impl Machine {
    fn new() -> mlua::Result<Self> {
        let parts =
            StdLib::STRING | StdLib::TABLE | StdLib::MATH | StdLib::UTF8 | StdLib::COROUTINE;
        let lua = Lua::new_with(parts, LuaOptions::default())?;
        lua.set_memory_limit(MOST_MEMORY)?;
        let native = library::native(&lua)?;
        let is_too_long = lua.create_function(|_, ()| Ok(STRETCHES.get() > MOST_STRETCHES))?;
        native.set("is_too_long", is_too_long)?;
        let prelude = lua.load(PRELUDE).set_name("=prelude");
        let (world, again) = prelude.call(native)?;
        Ok(Self {
            lua,
            world,
            again,
            scripts: BTreeMap::new(),
        })
    }

    fn read(&self, program: &Program) -> mlua::Result<Script> {
        let Inner {
            name,
            source,
            steps,
            variables,
            ..
        } = &*program.0;
        let function = read(&self.lua, name, source)?;
        let variables = variables.iter().map(|variable| &*variable.name);
        let steps = numbered(&self.lua, steps.iter().map(|step| &**step))?;
        let world: Table = self.world.call((steps, numbered(&self.lua, variables)?))?;
        function.set_environment(world)?;
        Ok(Script {
            function: self.again.call(function)?,
            may_loop: program.0.may_loop,
            idle: Vec::new(),
        })
    }

    /// Checks the syntax of a script. The error says where it is wrong.
    pub(super) fn check(name: &str, source: &str) -> Result<(), String> {
        let lua = Lua::new_with(StdLib::NONE, LuaOptions::default());
        let read = lua.and_then(|lua| read(&lua, name, source).map(drop));
        read.map_err(|error| sentence(&error))
    }

    /// A coroutine of the program, new or reused.
    pub(super) fn coroutine(program: &Program) -> Result<Thread, String> {
        let begun = MACHINE.with_borrow_mut(|machine| {
            let machine = match machine {
                Some(machine) => machine,
                None => machine.insert(Self::new()?),
            };
            if let Some(script) = machine.scripts.get_mut(&program.0.id) {
                return match script.idle.pop() {
                    Some(idle) => Ok(idle),
                    None => script.coroutine(&machine.lua),
                };
            }
            let script = machine.read(program)?;
            let coroutine = script.coroutine(&machine.lua);
            machine.scripts.insert(program.0.id, script);
            coroutine
        });
        begun.map_err(|error: Error| sentence(&error))
    }

    /// Takes back a coroutine that has reached the program's end.
    pub(super) fn take_back(program: &Program, coroutine: Thread) {
        MACHINE.with_borrow_mut(|machine| {
            let scripts = machine.as_mut().map(|machine| &mut machine.scripts);
            if let Some(script) = scripts.and_then(|scripts| scripts.get_mut(&program.0.id))
                && script.idle.len() < MOST_IDLE
            {
                script.idle.push(coroutine);
            }
        });
    }
}

impl Script {
    /// A new coroutine, which fails if it runs for too long.
    fn coroutine(&self, lua: &Lua) -> mlua::Result<Thread> {
        let coroutine = lua.create_thread(self.function.clone())?;
        if self.may_loop {
            // The hook costs time at each instruction.
            let triggers = HookTriggers::new().every_nth_instruction(STRETCH);
            coroutine.set_hook(triggers, |_, _| {
                let stretches = STRETCHES.get() + 1;
                STRETCHES.set(stretches);
                if stretches > MOST_STRETCHES {
                    return Err(Error::runtime("it goes on without playing a step"));
                }
                Ok(VmState::Continue)
            })?;
        }
        Ok(coroutine)
    }
}

/// A table from names to their indices, from 0.
fn numbered<'a>(lua: &Lua, names: impl Iterator<Item = &'a str>) -> mlua::Result<Table> {
    lua.create_table_from(names.zip(0_usize..))
}

fn read(lua: &Lua, name: &str, source: &str) -> mlua::Result<Function> {
    let chunk = lua.load(source).set_name(format!("={name}"));
    chunk.set_mode(ChunkMode::Text).into_function()
}

/// Resumes a coroutine. The error says why it failed.
pub(super) fn go_on(coroutine: &Thread, answer: Answer<'_>) -> Result<Wanted, String> {
    STRETCHES.set(0);
    let resumed = match answer {
        Answer::Done => coroutine.resume::<(Option<u8>, Value)>(true),
        Answer::Failed(message) => coroutine.resume::<(Option<u8>, Value)>((false, message)),
    };
    let (what, value) = resumed.map_err(|error| sentence(&error))?;
    match (what, value.as_usize()) {
        (Some(0), _) => Ok(Wanted::End),
        (Some(1), Some(step)) => Ok(Wanted::Play(step, false)),
        (Some(2), Some(step)) => Ok(Wanted::Play(step, true)),
        (Some(3), _) => match (value.as_f64(), value.as_i64()) {
            (Some(seconds), _) => Ok(Wanted::Pause(seconds)),
            (None, Some(seconds)) => Ok(Wanted::Pause(seconds as f64)),
            (None, None) => Err("pause needs seconds, such as pause(1.5)".into()),
        },
        _ => Ok(Wanted::Fail(library::text(&value)?)),
    }
}
