//! The values at several paths of names and indices, found in one pass over a document.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A member of an object.
    Name(Box<str>),
    /// An element of an array, from 0.
    Index(u64),
}

/// Several paths, as the tree that they form.
#[derive(Debug, Default)]
pub struct Finder {
    root: Node,
    paths: usize,
}

/// A node of the tree, for a place in documents.
#[derive(Debug, Default)]
struct Node {
    children: Vec<(Key, Node)>,
    /// The paths that end here.
    ends: Vec<usize>,
}

/// The value of each path, if there is one: strings as they are, all others as JSON.
pub type Found = Box<[Option<String>]>;

impl Finder {
    /// Adds a path, and returns its index.
    pub fn add(&mut self, path: &[Key]) -> usize {
        let mut node = &mut self.root;
        for key in path {
            let known = node.children.iter().position(|(child, _)| child == key);
            let place = known.unwrap_or_else(|| {
                node.children.push((key.clone(), Node::default()));
                node.children.len() - 1
            });
            node = &mut node.children[place].1;
        }
        node.ends.push(self.paths);
        self.paths += 1;
        self.paths - 1
    }

    /// Reads the whole document. What no path leads to is checked for syntax and skipped.
    pub fn find(&self, document: &[u8]) -> serde_json::Result<Found> {
        let mut found = vec![None; self.paths].into_boxed_slice();
        let mut reader = serde_json::Deserializer::from_slice(document);
        let way = Way {
            node: &self.root,
            found: &mut found,
        };
        way.deserialize(&mut reader)?;
        reader.end()?;
        Ok(found)
    }
}

impl Node {
    fn name(&self, wanted: &str) -> Option<&Self> {
        let mut children = self.children.iter();
        let is_it = |key: &Key| matches!(key, Key::Name(name) if **name == *wanted);
        children.find(|(key, _)| is_it(key)).map(|(_, node)| node)
    }

    fn index(&self, wanted: u64) -> Option<&Self> {
        let mut children = self.children.iter();
        let found = children.find(|(key, _)| *key == Key::Index(wanted));
        found.map(|(_, node)| node)
    }

    /// Drops what was found here and below.
    fn forget(&self, found: &mut Found) {
        for end in &self.ends {
            found[*end] = None;
        }
        for (_, child) in &self.children {
            child.forget(found);
        }
    }
}

/// Deserialises the value at one place.
struct Way<'a> {
    node: &'a Node,
    found: &'a mut Found,
}

impl<'de> DeserializeSeed<'de> for Way<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        let Self { node, found } = self;
        if node.ends.is_empty() {
            return reader.deserialize_any(Self { node, found });
        }
        let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
        let json = raw.get();
        let text: String = if json.starts_with('"') {
            serde_json::from_str(json).map_err(serde::de::Error::custom)?
        } else {
            json.to_owned()
        };
        if !node.children.is_empty() {
            let mut inside = serde_json::Deserializer::from_str(json);
            let way = Way { node, found };
            serde::Deserializer::deserialize_any(&mut inside, way)
                .map_err(serde::de::Error::custom)?;
        }
        for end in &node.ends {
            found[*end] = Some(text.clone());
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Way<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { node, found } = self;
        while let Some(child) = map.next_key_seed(Member(node))? {
            let Some(node) = child else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            node.forget(found); // of members with the same name the last counts
            map.next_value_seed(Way { node, found })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { node, found } = self;
        for index in 0.. {
            let more = match node.index(index) {
                Some(node) => list.next_element_seed(Way { node, found })?.is_some(),
                None => list.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// Finds the node for the next member's name.
struct Member<'a>(&'a Node);

impl<'de, 'a> DeserializeSeed<'de> for Member<'a> {
    type Value = Option<&'a Node>;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Member<'a> {
    type Value = Option<&'a Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Key {
        Key::Name(name.into())
    }

    #[test]
    fn nested_paths_are_all_found() {
        let mut finder = Finder::default();
        let paths: [&[Key]; 6] = [
            &[name("items")],
            &[name("items"), Key::Index(1), name("sku")],
            &[name("items"), Key::Index(0)],
            &[name("id")],
            &[name("id")],
            &[name("none")],
        ];
        for (place, path) in paths.into_iter().enumerate() {
            assert_eq!(finder.add(path), place);
        }
        let found = finder.find(br#"{"id": 7, "items": [{"sku": "a"}, {"sku": "b"}]}"#);
        let found = found.unwrap();
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        let items = r#"[{"sku": "a"}, {"sku": "b"}]"#;
        let first = r#"{"sku": "a"}"#;
        assert_eq!(
            found,
            [
                Some(items),
                Some("b"),
                Some(first),
                Some("7"),
                Some("7"),
                None
            ]
        );
    }

    #[test]
    fn the_last_of_duplicate_members_counts() {
        let mut finder = Finder::default();
        finder.add(&[name("a"), name("b")]);
        finder.add(&[name("a")]);
        let found = finder.find(br#"{"a": {"b": 1}, "a": {"c": 2}}"#).unwrap();
        assert_eq!(*found, [None, Some(r#"{"c": 2}"#.to_owned())]);
    }

    #[test]
    fn invalid_json_is_refused_even_without_paths() {
        let finder = Finder::default();
        assert!(finder.find(b"[1, 2]").is_ok_and(|found| found.is_empty()));
        assert!(finder.find(b"[1, 2").is_err());
    }
}
