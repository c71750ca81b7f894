//! A brake for those who guess: after some failures an address waits.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

/// Failures of one address within [`WINDOW`] after which it must wait.
pub const FAILURES_MAX: u32 = 10;
/// How long a failure counts.
pub const WINDOW: Duration = Duration::from_secs(60);
/// Addresses that are watched at once; beyond that, the quietest is forgotten.
pub const ADDRESSES_MAX: usize = 4_096;

#[derive(Clone, Copy, Debug)]
struct FailureRecord {
    failures: u32,
    since: Instant,
}

/// Counts failures by address.
#[derive(Debug, Default)]
pub struct Throttle {
    records: BTreeMap<IpAddr, FailureRecord>,
}

impl Throttle {
    /// How long this address must still wait; `None`: it may try.
    #[must_use]
    pub fn wait(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let record = self.records.get(&network(address))?;
        let left = WINDOW.checked_sub(now.saturating_duration_since(record.since))?;
        (record.failures >= FAILURES_MAX && !left.is_zero()).then_some(left)
    }

    /// Notes a failure.
    pub fn failed(&mut self, address: IpAddr, now: Instant) {
        let address = network(address);
        let over = |record: &FailureRecord| now.saturating_duration_since(record.since) >= WINDOW;
        if self.records.len() >= ADDRESSES_MAX && !self.records.contains_key(&address) {
            self.records.retain(|_, record| !over(record));
        }
        if self.records.len() >= ADDRESSES_MAX && !self.records.contains_key(&address) {
            let quietest = self.records.iter().min_by_key(|(_, record)| record.failures);
            let quietest = quietest.map(|(address, _)| *address);
            quietest.and_then(|address| self.records.remove(&address));
        }
        let record =
            self.records.entry(address).or_insert(FailureRecord { failures: 0, since: now });
        if over(record) {
            *record = FailureRecord { failures: 0, since: now };
        }
        record.failures = record.failures.saturating_add(1);
    }
}

/// The IPv4 address, or the /64 network of an IPv6 address: a host usually owns its whole network.
/// The loopback address is one host.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address @ (IpAddr::V4(_) | IpAddr::V6(_)) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn after_ten_failures_an_address_waits_and_others_do_not() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..FAILURES_MAX {
            assert_eq!(throttle.wait(address(1), now), None);
            throttle.failed(address(1), now);
        }
        assert_eq!(throttle.wait(address(1), now), Some(WINDOW));
        assert_eq!(throttle.wait(address(2), now), None);
        assert_eq!(throttle.wait(address(1), now + WINDOW), None);
        throttle.failed(address(1), now + WINDOW);
        assert_eq!(throttle.wait(address(1), now + WINDOW), None);
    }

    #[test]
    fn addresses_of_one_ipv6_network_count_together() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        for last in 0..u16::try_from(FAILURES_MAX).expect("small") {
            let one = Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, last);
            throttle.failed(one.into(), now);
        }
        let other = "2001:db8:1:2:ffff::1".parse().expect("an address");
        assert!(throttle.wait(other, now).is_some());
    }

    #[test]
    fn an_address_counts_as_its_network() {
        for (address, counts_as) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2::1", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::2", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("::1", "::1"),
            ("::2", "::"),
        ] {
            let network = network(address.parse().expect("an address"));
            assert_eq!(network.to_string(), counts_as, "{address}");
        }
    }

    #[test]
    fn a_flood_of_addresses_takes_no_more_room() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        for _ in 0..FAILURES_MAX {
            throttle.failed(address(1), now);
        }
        for index in 0..2 * u32::try_from(ADDRESSES_MAX).expect("small") {
            throttle.failed(IpAddr::V4((0x0b00_0000 + index).into()), now);
        }
        assert!(throttle.records.len() <= ADDRESSES_MAX);
        assert!(throttle.wait(address(1), now).is_some(), "the worst one is not forgotten");
    }
}
