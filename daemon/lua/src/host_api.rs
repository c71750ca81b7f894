//! What every game's scripts have besides the game's own part, declared once: the reference page,
//! the type definitions for editors, the library for the lint and the completion of names come
//! from here, and a test holds the VM to it.

mod host;
mod library;

use phalanx_game::{Api, FieldDoc, Kind, ParamDoc};

pub(crate) use host::CLASSES;
pub(crate) use library::LUA51;

/// A table of functions that scripts find as a global; without a name, the globals themselves.
#[derive(Clone, Debug)]
pub struct Module {
    /// The global's name; empty for functions that are globals.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    pub functions: Vec<Function>,
    /// Its other members, such as `math.pi`, with their types.
    pub constants: Vec<(&'static str, Type)>,
    /// Part of Luau's own library.
    pub library: bool,
}

/// A function that scripts call.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name after the module's.
    pub name: &'static str,
    /// What it does, in one or two sentences; empty for Luau's own library.
    pub doc: &'static str,
    /// Its parameters, required ones first.
    pub params: Vec<Param>,
    /// Takes any number of further arguments.
    pub variadic: bool,
    /// What comes back, in order.
    pub returns: Vec<Type>,
    /// Answers `nil, reason` when it fails as can be expected.
    pub fails: bool,
}

/// A parameter of a function, or a field of a class.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: &'static str,
    /// What it accepts.
    pub kind: Type,
    /// May be left out or nil.
    pub optional: bool,
    /// Meaning and unit; empty where the function's text says it.
    pub doc: &'static str,
}

/// The type of an argument or a result.
#[derive(Clone, Debug)]
pub enum Type {
    /// As a game declares it.
    Game(Kind),
    /// By the name that Luau or a class of the host gives it.
    Named(&'static str),
    /// A list of these.
    List(Box<Type>),
    /// Possibly nil.
    Maybe(Box<Type>),
}

/// A table with known fields that the host hands to scripts or takes from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableType {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    /// Name, type and meaning.
    pub(crate) fields: &'static [(&'static str, &'static str, &'static str)],
}

impl Module {
    /// The function of that name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The names of all members.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let functions = self.functions.iter().map(|function| function.name);
        functions.chain(self.constants.iter().map(|(name, _)| *name))
    }
}

impl Function {
    /// The fewest and the most arguments; no most where any number may follow.
    #[must_use]
    pub fn arity(&self) -> (usize, Option<usize>) {
        let least = self.params.iter().filter(|param| !param.optional).count();
        (least, (!self.variadic).then_some(self.params.len()))
    }

    /// The call as people write it: `act.move(dir)`.
    #[must_use]
    pub fn signature(&self, module: &str) -> String {
        let mut names: Vec<String> = self.params.iter().map(Param::shown).collect();
        names.extend(self.variadic.then(|| "…".to_owned()));
        let dot = if module.is_empty() { "" } else { "." };
        format!("{module}{dot}{}({})", self.name, names.join(", "))
    }

    fn game(name: &'static str, doc: &'static str, params: &[ParamDoc], returns: Type) -> Self {
        let params = params.iter().map(Param::game).collect();
        Self { name, doc, params, variadic: false, returns: vec![returns], fails: false }
    }

    /// From the notation of the tables in this module: `key: string, options: Expiry?, ...`.
    fn read(name: &'static str, params: &'static str, returns: &'static str) -> Self {
        let parts = params.split(", ").filter(|part| !part.is_empty());
        let variadic = params.ends_with("...");
        let params = parts.filter_map(|part| part.split_once(": ")).map(Param::read).collect();
        let fails = returns.ends_with("| reason");
        let returns = returns.trim_end_matches("| reason").trim();
        let returns = returns.split(", ").filter(|part| !part.is_empty()).map(Type::read).collect();
        Self { name, doc: "", params, variadic, returns, fails }
    }
}

impl Param {
    fn shown(&self) -> String {
        format!("{}{}", self.name, if self.optional { "?" } else { "" })
    }

    fn game(doc: &ParamDoc) -> Self {
        Self { name: doc.name, kind: Type::Game(doc.kind), optional: doc.optional, doc: doc.doc }
    }

    fn read((name, kind): (&'static str, &'static str)) -> Self {
        let bare = kind.trim_end_matches('?');
        Self { name, kind: Type::read(bare), optional: bare.len() < kind.len(), doc: "" }
    }

    /// A field of a percept or of a table that a game declares: all may be nil.
    pub(crate) fn field(doc: &FieldDoc) -> Self {
        Self { name: doc.name, kind: Type::Game(doc.kind), optional: true, doc: doc.doc }
    }
}

impl Type {
    fn read(text: &'static str) -> Self {
        if let Some(bare) = text.strip_suffix('?') {
            return Self::Maybe(Box::new(Self::read(bare)));
        }
        match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(item) => Self::List(Box::new(Self::read(item))),
            None => Self::Named(text),
        }
    }
}

impl TableType {
    pub(crate) fn members(&self) -> impl Iterator<Item = Param> {
        self.fields.iter().map(|(name, kind, doc)| Param { doc, ..Param::read((name, kind)) })
    }
}

/// Everything that scripts of a game can call: the game's part, the host's, Luau's library.
#[must_use]
pub fn modules(api: &Api) -> Vec<Module> {
    let mut modules = vec![actions(api), world(api)];
    modules.extend(host::modules());
    modules.extend(library::modules());
    modules
}

/// How many arguments the host's own functions take at most, by the names that people write.
pub(crate) fn most() -> impl Iterator<Item = (String, usize)> {
    let own = host::modules().into_iter().flat_map(|module| {
        let dot = if module.name.is_empty() { "" } else { "." };
        let call = move |function: Function| {
            let (_, most) = function.arity();
            Some((format!("{}{dot}{}", module.name, function.name), most?))
        };
        module.functions.into_iter().filter_map(call)
    });
    let of = world_of();
    own.chain(std::iter::once((format!("world.{}", of.name), of.params.len())))
}

fn actions(api: &Api) -> Module {
    let functions = api.actions.iter().map(|action| {
        Function::game(action.name, action.doc, action.params, Type::Named("Action"))
    });
    let doc = "The game's actions; `decide` returns one of these.";
    Module { name: "act", doc, functions: functions.collect(), constants: vec![], library: false }
}

fn world(api: &Api) -> Module {
    let queries = api.queries.iter().map(|query| {
        let returns = Type::Maybe(Box::new(Type::Game(query.returns)));
        Function::game(query.name, query.doc, query.params, returns)
    });
    let functions = std::iter::once(world_of()).chain(queries).collect();
    let doc = "Queries answered natively from the team's joined map, for the agent that decides.";
    Module { name: "world", doc, functions, constants: vec![], library: false }
}

fn world_of() -> Function {
    Function {
        doc: "The same queries for another agent of the team; also in `plan`, where no agent is deciding.",
        ..Function::read("of", "name: string", "World")
    }
}
