//! Generates the table of each service's methods, from which `rpc::service` makes a client and a
//! server.

use prost_build::{Comments, Method, Service, ServiceGenerator};
use std::fmt::Write as _;

#[derive(Debug)]
pub(crate) struct Tables;

impl ServiceGenerator for Tables {
    fn generate(&mut self, service: Service, text: &mut String) {
        let (name, module) = (&service.name, snake(&service.name));
        let full = format!("{}.{}", service.package, service.proto_name);
        let streaming = |method: &&Method| method.server_streaming;
        assert!(service.methods.iter().all(|method| !method.client_streaming), "{full}");
        let (many, one): (Vec<_>, Vec<_>) = service.methods.iter().partition(streaming);
        writeln!(
            text,
            "crate::rpc::service! {{\n{}{name} = \"{full}\",\n{module}_client::{name}Client, \
             {module}_server::{name}Server;\nunary {{",
            documented(&service.comments, 1)
        )
        .unwrap();
        for method in one {
            row(text, method, String::new());
        }
        text.push_str("    }\n    streams {\n");
        for method in many {
            row(text, method, format!(" as {}Stream", method.proto_name));
        }
        text.push_str("    }\n}\n");
    }
}

fn row(text: &mut String, method: &Method, stream: String) {
    let (name, proto) = (&method.name, &method.proto_name);
    let (request, response) = (&method.input_type, &method.output_type);
    let about = documented(&method.comments, 2);
    writeln!(text, "{about}        {name}({request}) -> {response}{stream} = \"{proto}\";")
        .unwrap();
}

fn documented(comments: &Comments, indent_level: u8) -> String {
    let mut text = String::new();
    comments.append_with_indent(indent_level, &mut text);
    text
}

/// `TeamsOfAll` → `teams_of_all`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
