//! Reads an object: its members, its entries, and the constraints on their names.

use json_text::JsonText;

use super::reader::Reader;
use super::{MessageKind, Tone};
use crate::PathStep;
use crate::check;
use crate::draft::{Entered, Entry, State};
use crate::field::{ObjectField, Slot, any_value};

impl Reader {
    pub(super) fn object(
        &mut self,
        slot: &Slot,
        object: &ObjectField,
        members: &[Entered],
        entries: &[Entry],
    ) {
        self.write("{", Tone::Mark);
        let mut found = 0_u64;
        for (position, (member, inner)) in object.members.iter().zip(members).enumerate() {
            found += u64::from(inner.state != State::NotSent);
            self.inside(PathStep::Member(position), |reader| {
                if inner.state != State::NotSent {
                    reader.check_name(object, member.key());
                }
                reader.place(member, inner, Some(member.key()));
            });
        }
        for entry in entries {
            found += 1;
            let taken = |name: &str| {
                object.members.iter().any(|member| member.key() == name)
                    || entries
                        .iter()
                        .take_while(|other| other.id != entry.id)
                        .any(|other| other.name.as_deref() == Some(name))
            };
            let inner = object.entry(entry.name.as_deref());
            self.inside(PathStep::Entry(entry.id), |reader| {
                match &entry.name {
                    None => reader.report(MessageKind::Missing, "Give the property a name."),
                    Some(name) if taken(name) => {
                        let text = format!("Duplicate name `{name}`: rename one.");
                        reader.report(MessageKind::Invalid("properties"), text);
                    }
                    Some(name) if inner.is_none() => {
                        let text = check::no_such_member(object, name);
                        reader.report(MessageKind::Invalid("additionalProperties"), text);
                    }
                    Some(name) => reader.check_name(object, name),
                }
                let name = entry.name.as_deref().unwrap_or("?");
                let inner = inner.unwrap_or_else(|| any_value(slot));
                if entry.entered.state == State::NotSent {
                    reader.nothing_of_entry(entry.name.as_deref());
                } else {
                    reader.place(&inner, &entry.entered, Some(name));
                }
            });
        }
        self.check_needs(object, members, entries);
        self.write("}", Tone::Mark);
        self.report_broken(check::count(
            found,
            (object.min, "minProperties"),
            (object.max, "maxProperties"),
            ("property", "properties"),
        ));
    }

    /// An entry without a value yet. The person added it, so it is shown and not left out.
    fn nothing_of_entry(&mut self, name: Option<&str>) {
        self.key(Some(name.unwrap_or("?")));
        self.write("?", Tone::Error);
        let text = match name {
            Some(name) => format!("Give `{name}` a value, or remove the property."),
            None => "Give the property a value, or remove it.".to_owned(),
        };
        self.report(MessageKind::Missing, text);
    }

    /// `propertyNames`, reported at the member with that name.
    fn check_name(&mut self, object: &ObjectField, name: &str) {
        let Some(names) = &object.names else { return };
        let value = JsonText::string(name);
        let mut found = self.messages_for(names, &value, value.as_str());
        for message in &mut found {
            message.text = format!("The name `{name}`: {}", message.text);
            message.kind = MessageKind::Invalid("propertyNames");
        }
        if found.is_empty() && check::is_surely_rejected(names, &value) {
            let text = format!("The schema does not allow the name `{name}` (propertyNames).");
            self.report(MessageKind::Invalid("propertyNames"), text);
        }
        self.messages.extend(found);
    }

    /// `dependentRequired`, reported at the missing member.
    fn check_needs(&mut self, object: &ObjectField, members: &[Entered], entries: &[Entry]) {
        let place = |name: &str| object.members.iter().position(|member| member.key() == name);
        let is_there = |name: &str| match place(name) {
            Some(position) => {
                members.get(position).is_some_and(|inner| inner.state != State::NotSent)
            }
            None => entries.iter().any(|entry| entry.name.as_deref() == Some(name)),
        };
        for (name, needed) in object.needs.iter().filter(|(name, _)| is_there(name)) {
            for missing in needed.iter().filter(|needed| !is_there(needed)) {
                let at = place(missing);
                if at.and_then(|at| object.members.get(at)).is_some_and(Slot::required) {
                    continue;
                }
                match at {
                    Some(position) => self.inside(PathStep::Member(position), |reader| {
                        let text = format!("Required with `{name}` (dependentRequired).");
                        reader.report(MessageKind::Invalid("dependentRequired"), text);
                    }),
                    None => {
                        let text = format!("`{name}` requires `{missing}` (dependentRequired).");
                        self.report(MessageKind::Invalid("dependentRequired"), text);
                    }
                }
            }
        }
    }
}
