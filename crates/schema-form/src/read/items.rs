//! Reads a list and its items.

use std::collections::HashMap;
use std::ops::Range;

use json_text::JsonText;

use super::reader::Reader;
use super::{MessageKind, Tone};
use crate::canonical::canonical;
use crate::check;
use crate::draft::{Entered, Item, child_slot};
use crate::field::{ListField, Slot};
use crate::{ItemId, PathStep};

impl Reader {
    pub(super) fn list(
        &mut self,
        slot: &Slot,
        entered: &Entered,
        list: &ListField,
        items: &[Item],
    ) {
        self.write("[", Tone::Mark);
        let mut written: Vec<Range<usize>> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.write(",", Tone::Mark);
            }
            let start = self.text.len();
            self.item(slot, entered, list, index, item.id, &item.entered);
            written.push(start..self.text.len());
        }
        self.write("]", Tone::Mark);
        self.report_broken(check::count(
            items.len() as u64,
            (list.min, "minItems"),
            (list.max, "maxItems"),
            ("item", "items"),
        ));
        if list.unique
            && let Some((first, second)) = self.equal_pair(&written)
        {
            let text = format!(
                "Items must be unique. Items {} and {} are equal (uniqueItems).",
                first + 1,
                second + 1
            );
            self.report(MessageKind::Invalid("uniqueItems"), text);
        }
    }

    fn item(
        &mut self,
        slot: &Slot,
        entered: &Entered,
        list: &ListField,
        index: usize,
        id: ItemId,
        inner: &Entered,
    ) {
        let of_item = match list.item(index) {
            Some(slot) => Some(slot.clone()),
            None => child_slot(slot, entered, PathStep::Item(id)),
        };
        self.inside(PathStep::Item(id), |reader| {
            if list.item(index).is_none() {
                let most = list.prefix.len();
                let noun = if most == 1 { "item" } else { "items" };
                let text = format!("At most {most} {noun}: remove this one.");
                reader.report(MessageKind::Invalid("items"), text);
            }
            if let Some(of_item) = of_item {
                reader.place(&of_item, inner, None);
            }
        });
    }

    fn equal_pair(&self, written: &[Range<usize>]) -> Option<(usize, usize)> {
        let mut seen = HashMap::with_capacity(written.len());
        for (index, range) in written.iter().enumerate() {
            let Ok(value) = JsonText::parse(&self.text[range.clone()]) else { continue };
            if let Some(first) = seen.insert(canonical(&value), index) {
                return Some((first, index));
            }
        }
        None
    }
}
