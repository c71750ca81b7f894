//! `phalanx tls create`: an authority and a server certificate that callers accept.

use crate::args::CreateArgs;
use crate::files::{Mode, make_folder, write_new};
use anyhow::{Context, Result, bail};
use phalanx_cli::remote;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The files in the folder.
const AUTHORITY: &str = "ca.pem";
const AUTHORITY_KEY: &str = "ca.key";
const SERVER: &str = "server.pem";
const SERVER_KEY: &str = "server.key";
/// Names that always lead to this machine.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const DAY: Duration = Duration::from_secs(86_400);
/// How long the authority is valid, in days.
const AUTHORITY_DAYS: u16 = 3650;
/// Certificates begin this long ago, because clocks differ.
const EARLIER: Duration = DAY;

/// Writes the files and prints what to do with them.
///
/// # Errors
/// When a host is malformed, a file exists already, or one cannot be written.
pub fn create(args: &CreateArgs) -> Result<()> {
    let folder = &args.out;
    let server = server(args)?;
    let issuer = if args.renew { kept(folder)? } else { fresh(folder)? };
    let key = KeyPair::generate().context("cannot make a key")?;
    let signed = server.signed_by(&key, &issuer).context("cannot sign the certificate")?;
    let files = [(SERVER_KEY, key.serialize_pem()), (SERVER, signed.pem())];
    if args.renew {
        for (name, _) in &files {
            replace(&folder.join(name))?;
        }
    }
    for (name, text) in files {
        write_new(&folder.join(name), &text, Mode::Private)?;
    }
    remote::print(&next_steps(args))
}

fn server(args: &CreateArgs) -> Result<CertificateParams> {
    let own = args.hosts.iter().map(String::as_str);
    let mut names: Vec<String> = own.chain(LOCAL).map(str::to_owned).collect();
    let mut known = phalanx_game::sorted::SortedSet::new();
    names.retain(|name| known.insert(name.clone()));
    if let Some(wrong) = names.iter().find(|name| !is_host(name)) {
        bail!(
            "{wrong:?} is neither a host name nor an IP address; leave out https:// and the port"
        );
    }
    let mut params = CertificateParams::new(names).context("these hosts")?;
    let first = args.hosts.first().map_or("phalanx", String::as_str);
    params.distinguished_name.push(DnType::CommonName, first);
    params.is_ca = IsCa::ExplicitNoCa;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    lasts(&mut params, args.days)?;
    Ok(params)
}

fn is_host(name: &str) -> bool {
    let label = |label: &str| {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.len() < 64 && label.chars().all(fine) && !label.starts_with('-')
    };
    name.parse::<std::net::IpAddr>().is_ok()
        || (name.len() < 254 && name.strip_prefix("*.").unwrap_or(name).split('.').all(label))
}

fn authority() -> Result<CertificateParams> {
    let mut params = CertificateParams::default();
    // The same in each: a key that is read again signs under this name.
    params.distinguished_name.push(DnType::CommonName, "Phalanx certificate authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    lasts(&mut params, AUTHORITY_DAYS)?;
    Ok(params)
}

fn lasts(params: &mut CertificateParams, days: u16) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("this machine's clock")?;
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(EARLIER);
    params.not_after = epoch + now + DAY * u32::from(days);
    Ok(())
}

/// Makes an authority in a new folder.
fn fresh(folder: &Path) -> Result<Issuer<'static, KeyPair>> {
    make_folder(folder)?;
    for name in [AUTHORITY, AUTHORITY_KEY, SERVER, SERVER_KEY] {
        let path = folder.join(name);
        if path.exists() {
            bail!(
                "{} exists; --renew replaces the server certificate and keeps the authority, \
                 --out DIR chooses another folder",
                path.display()
            );
        }
    }
    let (params, key) = (authority()?, KeyPair::generate().context("cannot make a key")?);
    let certificate = params.self_signed(&key).context("cannot sign the authority")?;
    write_new(&folder.join(AUTHORITY_KEY), &key.serialize_pem(), Mode::Private)?;
    write_new(&folder.join(AUTHORITY), &certificate.pem(), Mode::Private)?;
    Ok(Issuer::new(params, key))
}

/// The authority that this verb made before.
fn kept(folder: &Path) -> Result<Issuer<'static, KeyPair>> {
    let path = folder.join(AUTHORITY_KEY);
    let text = std::fs::read_to_string(&path);
    let text = text.with_context(|| {
        format!("cannot read {}; without --renew, a new authority is made", path.display())
    })?;
    let key = KeyPair::from_pem(&text);
    let key = key.with_context(|| format!("{} is not a key of this verb", path.display()))?;
    Ok(Issuer::new(authority()?, key))
}

fn replace(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn next_steps(args: &CreateArgs) -> String {
    let full = std::path::absolute(&args.out).unwrap_or_else(|_| args.out.clone());
    let shown = full.display();
    let host = args.hosts.first().map_or("localhost", String::as_str);
    let address = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let days = args.days;
    let renewed = "renewed server.pem and server.key; a running daemon loads them within a minute";
    if args.renew {
        return format!("{renewed} (valid for {days} days)");
    }
    format!(
        "wrote ca.pem, ca.key, server.pem and server.key into {shown} (valid for {days} days)\n\n\
         In the daemon's settings:\n  \
         [control]\n  tcp = \"0.0.0.0:7420\"\n\n  \
         [control.tls]\n  certificate = \"{shown}/server.pem\"\n  key = \"{shown}/server.key\"\n\n\
         On the daemon's machine, a token for a caller:\n  \
         phalanx token create NAME --role operator > NAME.token\n\n\
         On the caller's machine, with copies of ca.pem and NAME.token:\n  \
         phalanx context add NAME --control https://{address}:7420 --ca ca.pem \
         --token-file NAME.token --use\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_and_nothing_else() {
        for good in ["room", "room.example", "*.example", "10.0.0.5", "fe80::1", "a-b.c"] {
            assert!(is_host(good), "{good}");
        }
        for bad in ["", "https://room", "room:7420", "a..b", "-a", "a b", "ä", "*"] {
            assert!(!is_host(bad), "{bad}");
        }
    }
}
