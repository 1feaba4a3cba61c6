//! The functions that the host provides to scripts.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use mlua::{Error, Lua, LuaSerdeExt, SerializeOptions, Table, Value, Variadic};
use sha2::{Digest, Sha256};

use super::host;
use crate::generated::since_1970_ms;
use crate::json::{whole_value, with_whole_characters};
use crate::number::between;

/// The functions, as the prelude takes them.
pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set(
        "get",
        lua.create_function(|_, variable: usize| host::value(variable).map_err(Error::runtime))?,
    )?;
    native.set(
        "set",
        lua.create_function(|_, (variable, value): (usize, Value)| {
            host::set(variable, written(&value)).map_err(Error::runtime)
        })?,
    )?;
    native.set(
        "unknown_variable",
        lua.create_function(|_, name: Value| -> mlua::Result<usize> {
            let name = text(&name).map_err(Error::runtime)?;
            Err(Error::runtime(host::unknown_variable(&name)))
        })?,
    )?;
    native.set(
        "unknown_step",
        lua.create_function(|_, name: Value| -> mlua::Result<usize> {
            let name = text(&name).map_err(Error::runtime)?;
            Err(Error::runtime(host::unknown_step(&name)))
        })?,
    )?;
    native.set(
        "print",
        lua.create_function(|_, line: mlua::String| {
            host::print(line.to_string_lossy()).map_err(Error::runtime)
        })?,
    )?;
    native.set(
        "random",
        lua.create_function(|_, bounds: Variadic<i64>| random(&bounds))?,
    )?;
    native.set(
        "now",
        lua.create_function(|_, ()| Ok(since_1970_ms() as f64 / 1e3))?,
    )?;
    native.set("json", json(lua)?)?;
    native.set("crypto", crypto(lua)?)?;
    Ok(native)
}

/// The text that a script passes. The error says what it passes instead.
pub(super) fn text(given: &Value) -> Result<String, String> {
    match given {
        Value::String(text) => Ok(text.to_string_lossy()),
        other => Err(format!("it needs a text, not {}", other.type_name())),
    }
}

/// A value as a variable keeps it, text or nothing. The error is its type.
fn written(value: &Value) -> Result<Option<Box<str>>, &'static str> {
    let text = match value {
        Value::Nil => return Ok(None),
        Value::Boolean(is) => is.to_string(),
        Value::Integer(number) => number.to_string(),
        // Lua's division yields floats; applications expect 4, not 4.0.
        Value::Number(number) => number.to_string(),
        Value::String(text) => match text.to_str() {
            Ok(text) => return Ok(Some((*text).into())),
            Err(_) => return Err("text that is not UTF-8"),
        },
        other => return Err(other.type_name()),
    };
    Ok(Some(text.into()))
}

/// `math.random` from the scenario's stream: the same in each run of one seed.
fn random(bounds: &[i64]) -> mlua::Result<Value> {
    let bits = host::bits().map_err(Error::runtime)?;
    let (low, high) = match *bounds {
        [] => return Ok(Value::Number((bits >> 11) as f64 / (1_u64 << 53) as f64)),
        [0] => (i64::MIN, i64::MAX), // as in Lua 5.4
        [high] => (1, high),
        [low, high] => (low, high),
        _ => return Err(Error::runtime("math.random takes two bounds at most")),
    };
    if low > high {
        return Err(Error::runtime(format!(
            "math.random({low}, {high}): the range is empty"
        )));
    }
    Ok(Value::Integer(between(low, high, bits)))
}

fn json(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set(
        "decode",
        lua.create_function(|lua, text: mlua::String| {
            let value = with_whole_characters(&text.as_bytes(), whole_value)
                .map_err(|error| Error::runtime(format!("it is not JSON: {error}")))?;
            let options = SerializeOptions::new()
                .serialize_none_to_null(false)
                .serialize_unit_to_null(false);
            lua.to_value_with(&value, options)
        })?,
    )?;
    table.set(
        "encode",
        lua.create_function(|lua, value: Value| {
            let value: serde_json::Value = lua.from_value(value)?;
            Ok(value.to_string())
        })?,
    )?;
    Ok(table)
}

fn crypto(lua: &Lua) -> mlua::Result<Table> {
    type Text = mlua::String;
    let table = lua.create_table()?;
    table.set(
        "sha256",
        lua.create_function(|_, text: Text| Ok(hex::encode(Sha256::digest(&*text.as_bytes()))))?,
    )?;
    table.set(
        "hmac_sha256",
        lua.create_function(|_, (key, text): (Text, Text)| {
            let mac = Hmac::<Sha256>::new_from_slice(&key.as_bytes());
            let mut mac = mac.map_err(Error::external)?;
            mac.update(&text.as_bytes());
            Ok(hex::encode(mac.finalize().into_bytes()))
        })?,
    )?;
    table.set(
        "base64",
        lua.create_function(|_, text: Text| Ok(STANDARD.encode(text.as_bytes())))?,
    )?;
    table.set(
        "base64url",
        lua.create_function(|_, text: Text| Ok(URL_SAFE_NO_PAD.encode(text.as_bytes())))?,
    )?;
    table.set(
        "unhex",
        lua.create_function(|lua, text: Text| {
            let bytes = hex::decode(text.as_bytes());
            let bytes = bytes.map_err(|error| Error::runtime(format!("unhex: {error}")))?;
            lua.create_string(bytes)
        })?,
    )?;
    Ok(table)
}
