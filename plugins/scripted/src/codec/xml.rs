//! XML messages as tables: `{ tag = "percept", attributes = { … }, children = { … }, text = "…" }`.

use phalanx_game::Value;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

/// Deepest nesting of elements.
const DEPTH_MAX: usize = 64;

/// An element that is open.
#[derive(Default)]
struct Element {
    tag: String,
    attributes: Vec<(String, String)>,
    children: Vec<Value>,
    text: String,
}

impl Element {
    fn new(start: &BytesStart<'_>) -> Result<Self, String> {
        let tag = start.name().as_ref().to_owned();
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let key = attribute.key.as_ref().to_owned();
            let value =
                quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
            attributes.push((key, value.into_owned()));
        }
        Ok(Self { tag, attributes, ..Self::default() })
    }

    fn into_value(self) -> Value {
        let attributes = self.attributes.into_iter();
        Value::map([
            ("tag", self.tag.into()),
            (
                "attributes",
                Value::Map(attributes.map(|(key, value)| (key.into(), value.into())).collect()),
            ),
            ("children", Value::List(self.children)),
            ("text", self.text.trim().to_owned().into()),
        ])
    }
}

pub(super) fn decode(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event().map_err(|error| error.to_string())?;
        match event {
            Event::Start(start) if open.len() < DEPTH_MAX => open.push(Element::new(&start)?),
            Event::Start(_) => return Err(format!("more than {DEPTH_MAX} elements in each other")),
            Event::Empty(start) => {
                let element = Element::new(&start)?.into_value();
                open.last_mut().ok_or("no element")?.children.push(element);
            }
            Event::End(_) => {
                let element = open.pop().ok_or("an end without a start")?.into_value();
                open.last_mut().ok_or("an end without a start")?.children.push(element);
            }
            Event::Text(text) => {
                let text = quick_xml::escape::unescape(&text).map_err(|error| error.to_string())?;
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Event::CData(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Event::Eof => break,
            Event::GeneralRef(name) => {
                let text = match name.resolve_char_ref().map_err(|error| error.to_string())? {
                    Some(letter) => letter.to_string(),
                    None => quick_xml::escape::resolve_predefined_entity(&name)
                        .ok_or_else(|| format!("unknown entity &{};", &*name))?
                        .to_owned(),
                };
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    let mut roots = match open.pop() {
        Some(top) if open.is_empty() => top.children,
        Some(_) | None => return Err("an element has no end".to_owned()),
    };
    match roots.len() {
        1 => Ok(roots.remove(0)),
        count => Err(format!("{count} elements at the top, expected one")),
    }
}

pub(super) fn encode(message: &Value) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(Vec::new());
    element(&mut writer, message, DEPTH_MAX)?;
    Ok(writer.into_inner())
}

fn element(writer: &mut Writer<Vec<u8>>, value: &Value, depth: usize) -> Result<(), String> {
    let depth = depth.checked_sub(1).ok_or("the elements are nested too deeply")?;
    let tag = value.get("tag").and_then(Value::as_str);
    let tag = tag.ok_or("an element is a table with tag, and maybe attributes, children, text")?;
    let mut start = BytesStart::new(tag);
    if let Some(Value::Map(attributes)) = value.get("attributes") {
        for (key, value) in attributes {
            let text = crate::shown(value);
            start.push_attribute((key.as_ref(), text.as_str()));
        }
    }
    let children = value.get("children").and_then(Value::as_list).unwrap_or_default();
    let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
    let failed = |error: std::io::Error| error.to_string();
    if children.is_empty() && text.is_empty() {
        return writer.write_event(Event::Empty(start)).map_err(failed);
    }
    writer.write_event(Event::Start(start)).map_err(failed)?;
    if !text.is_empty() {
        writer.write_event(Event::Text(BytesText::new(text))).map_err(failed)?;
    }
    for child in children {
        element(writer, child, depth)?;
    }
    writer.write_event(Event::End(BytesEnd::new(tag))).map_err(failed)
}
