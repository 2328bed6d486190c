//! A line of the stream: a query about two bodies, or the definition of a name.

use std::borrow::Cow;
use std::fmt;

use percussion_geometry::events::EventOptions;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::shape::{Name, ShapeText, once};
use super::vector::Coordinates;

/// One line.
#[derive(Debug)]
pub enum Line<'l> {
    /// `{"a": ..., "b": ..., ...}`
    Query(Box<Query<'l>>),
    /// `{"define": "name", "shape": ...}`
    Define {
        /// The name.
        name: Cow<'l, str>,
        /// Its shape.
        shape: Box<ShapeText<'l>>,
    },
}

/// A query about two bodies.
#[derive(Debug)]
pub struct Query<'l> {
    /// Body a.
    pub a: ShapeText<'l>,
    /// Body b.
    pub b: ShapeText<'l>,
    /// Direction along which separation is measured, from b to a.
    pub beta: Option<Coordinates>,
    /// Prediction distance, metres.
    pub prediction: Option<f64>,
    /// What to answer beyond the separation.
    pub requests: Requests,
    /// Anything, given back with the answer.
    pub id: Option<&'l RawValue>,
}

/// What to answer beyond the separation; where `None`, the defaults of the command line hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests {
    /// Contact events.
    pub events: Option<EventRequest>,
    /// Euclidean distance or penetration depth.
    pub euclidean: Option<bool>,
    /// Derivatives with respect to the bodies' motion.
    pub gradient: Option<bool>,
    /// Ranges of all optimal directions and weights.
    pub ranges: Option<bool>,
    /// All generalized gradients.
    pub subdifferential: Option<bool>,
}

/// A request for contact events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventRequest {
    /// `false`: none; `true`: active and nearly active ones, with tolerances that suit the bodies.
    Flag(bool),
    /// With some tolerances given.
    Within(EventTolerances),
}

/// Tolerances of contact events; what is not given suits the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventTolerances {
    /// How far a point may lie outside its feature, metres.
    pub eps_x: Option<f64>,
    /// How far an event's ratio metric may exceed the pair's.
    pub eps_t: Option<f64>,
    /// Sine of the angle by which an event's normal may leave the features' normal cones.
    pub tilt: Option<f64>,
}

impl EventRequest {
    /// The options for bodies of these outer radii; `None` when no events are requested.
    pub fn options(&self, radius_a: f64, radius_b: f64) -> Option<EventOptions> {
        let usual = EventOptions::nearly_active(radius_a, radius_b);
        match self {
            EventRequest::Flag(false) => None,
            EventRequest::Flag(true) => Some(usual),
            EventRequest::Within(EventTolerances { eps_x, eps_t, tilt }) => Some(EventOptions {
                eps_x: eps_x.unwrap_or(usual.eps_x).max(usual.eps_0),
                eps_t: eps_t.unwrap_or(usual.eps_t).max(0.0),
                tilt: tilt.unwrap_or(usual.tilt).max(0.0),
                ..usual
            }),
        }
    }
}

impl<'de> Deserialize<'de> for EventRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagOrTolerances;
        impl<'de> Visitor<'de> for FlagOrTolerances {
            type Value = EventRequest;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("true, false or tolerances such as {\"eps_x\": 0.01, \"eps_t\": 0.01}")
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<EventRequest, E> {
                Ok(EventRequest::Flag(flag))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EventRequest, A::Error> {
                let tolerances = EventTolerances::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(EventRequest::Within(tolerances))
            }
        }
        deserializer.deserialize_any(FlagOrTolerances)
    }
}

impl Requests {
    /// These requests, and those of `defaults` where none is made.
    pub fn or(self, defaults: Requests) -> Requests {
        Requests {
            events: self.events.or(defaults.events),
            euclidean: self.euclidean.or(defaults.euclidean),
            gradient: self.gradient.or(defaults.gradient),
            ranges: self.ranges.or(defaults.ranges),
            subdifferential: self.subdifferential.or(defaults.subdifferential),
        }
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    A,
    B,
    Beta,
    Prediction,
    Events,
    Euclidean,
    Gradient,
    Ranges,
    Subdifferential,
    Id,
    Define,
    Shape,
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object: {\"a\": SHAPE, \"b\": SHAPE, ...} or {\"define\": NAME, \"shape\": SHAPE}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        let (mut a, mut b, mut define, mut shape) = (None, None, None, None);
        let (mut beta, mut prediction, mut id) = (None, None, None);
        let mut requests = Requests::default();
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::A => once(&mut a, "a", map.next_value::<ShapeText>()?)?,
                Key::B => once(&mut b, "b", map.next_value::<ShapeText>()?)?,
                Key::Beta => once(&mut beta, "beta", map.next_value()?)?,
                Key::Prediction => once(&mut prediction, "prediction", map.next_value()?)?,
                Key::Events => once(&mut requests.events, "events", map.next_value()?)?,
                Key::Euclidean => once(&mut requests.euclidean, "euclidean", map.next_value()?)?,
                Key::Gradient => once(&mut requests.gradient, "gradient", map.next_value()?)?,
                Key::Ranges => once(&mut requests.ranges, "ranges", map.next_value()?)?,
                Key::Subdifferential => {
                    once(&mut requests.subdifferential, "subdifferential", map.next_value()?)?;
                }
                Key::Id => once(&mut id, "id", map.next_value::<&RawValue>()?)?,
                Key::Define => once(&mut define, "define", map.next_value::<Name>()?.0)?,
                Key::Shape => once(&mut shape, "shape", map.next_value::<ShapeText>()?)?,
            }
        }
        match (a, b, define, shape) {
            (Some(a), Some(b), None, None) => {
                Ok(Line::Query(Box::new(Query { a, b, beta, prediction, requests, id })))
            }
            (None, None, Some(name), Some(shape)) => Ok(Line::Define { name, shape: Box::new(shape) }),
            (Some(_), None, None, None) => Err(de::Error::missing_field("b")),
            (None, Some(_), None, None) => Err(de::Error::missing_field("a")),
            (None, None, Some(_), None) => Err(de::Error::missing_field("shape")),
            (None, None, None, Some(_)) => Err(de::Error::missing_field("define")),
            (None, None, None, None) => Err(de::Error::custom(
                "neither a query nor a definition: give `a` and `b`, or `define` and `shape`",
            )),
            _ => Err(de::Error::custom("a query and a definition in one line; write them on two")),
        }
    }
}
