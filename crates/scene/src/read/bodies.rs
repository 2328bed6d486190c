//! Bodies: shapes, mass properties, pose and velocity.

use super::lamina;
use super::materials::{DENSITY, Material};
use super::motion::motion;
use super::shapes::{Parts, Shapes};
use crate::keys::body_keys;
use crate::placement::{PLACEMENT, placement};
use crate::report::{Place, Read, Report};
use crate::tree::{Fields, Node, Table};
use percussion_geometry::mass::MassProperties;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::Body;
use percussion_mechanics::rotation::Mat3;

const KILOGRAMS: &str = "number of kilograms";

/// A body as written.
#[derive(Debug)]
pub(crate) struct WrittenBody {
    pub body: Body,
    pub pose: Pose,
    /// Velocity, if it is given.
    pub velocity: Option<WrittenVelocity>,
    /// Index of its material.
    pub material: Option<usize>,
    /// Color, if it is given.
    pub color: Option<[u8; 3]>,
    /// Place of its name.
    pub place: Place,
    /// Place of its velocity, if it is given.
    pub velocity_place: Place,
}

/// A velocity as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenVelocity {
    /// Of the center of mass, world axes.
    linear: Vec3,
    /// In world axes, or in body axes.
    angular: Vec3,
    body_axes: bool,
}

impl WrittenVelocity {
    /// Velocity of the center of mass and angular velocity in world axes, for a pose.
    pub fn in_world(&self, pose: &Pose) -> (Vec3, Vec3) {
        (self.linear, if self.body_axes { pose.direction(&self.angular) } else { self.angular })
    }
}

/// The bodies under `[bodies]`, in the order of the file. `None` stands for a body with complaints, so that joints with it are
/// not reported too.
pub(crate) fn bodies(
    report: &Report,
    root: &Table,
    shapes: &Shapes<'_>,
    materials: &[Material],
) -> Vec<(String, Option<WrittenBody>)> {
    let entries = root.table("bodies").map_or(&[][..], |table| &table.entries);
    let mut all = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = format!("bodies.{}", entry.key);
        let body = Fields::of(report, &entry.node, &name, &body_keys()).and_then(|fields| {
            let reader = Reader { fields, name: &entry.key, shapes, materials };
            reader.body(entry.place)
        });
        all.push((entry.key.clone(), body.ok()));
    }
    all
}

struct Reader<'a, 's> {
    fields: Fields<'a>,
    name: &'a str,
    shapes: &'s Shapes<'a>,
    materials: &'s [Material],
}

impl Reader<'_, '_> {
    fn body(&self, place: Place) -> Read<WrittenBody> {
        let f = &self.fields;
        let kind = f.word("kind", &["rigid", "particle", "fixed"])?.unwrap_or("rigid");
        if kind == "particle" {
            self.check_particle()?;
        }
        if kind == "fixed" {
            let moving = ["velocity", "angular_velocity", "body_angular_velocity"];
            f.refuse(&moving, "is given to a fixed body", "remove it, or let the body move")?;
        } else {
            let remedy = "make the body kind = \"fixed\", or remove it";
            f.refuse(&["motion"], "is given to a body that is not fixed", remedy)?;
        }
        // All are read before missing ones are reported, so that all complaints are found.
        let (parts, material, pose, velocity) =
            (self.parts(), self.material(), placement(f), self.velocity());
        let (mass, density) = (f.positive("mass", KILOGRAMS), f.positive("density", DENSITY));
        let (inertia, centre) = (self.inertia(), f.vector("center_of_mass"));
        let color = self.color();
        let origin = pose.as_ref().map_or_else(|_| Vec3::zeros(), |pose| pose.position);
        let motion = motion(f, "motion", &origin);
        let (parts, material, pose, velocity) = (parts?, material?, pose?, velocity?);
        _ = (mass?, density?, inertia?, centre?);
        let color = color?;
        let body = match kind {
            "fixed" => motion?.into_iter().fold(Body::fixed(self.name), Body::with_motion),
            "particle" => {
                let mass = self.mass(&parts, material)?;
                Body::particle(self.name, mass)
                    .map_err(|e| f.report.complain_with(f.place, &e.to_string()))?
            }
            _ => self.rigid(&parts, material)?,
        };
        let body = match parts {
            Parts::Space(parts) => {
                parts.into_iter().fold(body, |b, (offset, solid)| b.with_shape(solid, offset))
            }
            Parts::Plane(parts) => {
                parts.into_iter().fold(body, |b, (offset, shape)| b.with_outline(shape, offset))
            }
        };
        let turning = ["angular_velocity", "body_angular_velocity"].into_iter().find(|key| f.has(key));
        let velocity_place = f.place_of(if f.has("velocity") { "velocity" } else { turning.unwrap_or("") });
        Ok(WrittenBody { body, pose, velocity, material, color, place, velocity_place })
    }

    fn check_particle(&self) -> Read<()> {
        let turning = PLACEMENT[1..].iter().copied();
        let turning = turning.chain(["inertia", "moments", "angular_velocity", "body_angular_velocity"]);
        let turning: Vec<&str> = turning.collect();
        let remedy = "remove it, or make the body rigid";
        self.fields.refuse(&turning, "is given to a particle, which has no orientation", remedy)
    }

    fn parts(&self) -> Read<Parts> {
        let f = &self.fields;
        if f.has("shape") && f.has("shapes") {
            return Err(f.wrong("shapes", "is given together with `shape`", "list all under `shapes`"));
        }
        if let Some(node) = f.node("shape") {
            return self.shapes.parts(node, &f.path("shape"));
        }
        self.shapes.several(f, "shapes", f.list("shapes")?.unwrap_or_default())
    }

    fn material(&self) -> Read<Option<usize>> {
        let f = &self.fields;
        let Some(name) = f.text("material")? else { return Ok(None) };
        if let Some(index) = self.materials.iter().position(|material| material.name == name) {
            return Ok(Some(index));
        }
        let known = self.materials.iter().map(|material| material.name.as_str());
        let remedy = format!("define it under [materials.{name}]");
        let place = f.node("material").map_or(f.place, |node: &Node| node.place);
        Err(f.report.unknown(place, format!("there is no material `{name}`"), name, known, &remedy))
    }

    /// The color: red, green and blue.
    fn color(&self) -> Read<Option<[u8; 3]>> {
        let Some(text) = self.fields.text("color")? else { return Ok(None) };
        let digits =
            text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(number) => Ok(Some([16, 8, 0].map(|shift| (number >> shift) as u8))),
            None => {
                let remedy = "give red, green and blue with two hexadecimal digits each, such as \"#158df2\"";
                Err(self.fields.wrong("color", &format!("is {text:?}"), remedy))
            }
        }
    }

    fn velocity(&self) -> Read<Option<WrittenVelocity>> {
        let f = &self.fields;
        let linear = f.vector("velocity")?;
        let world = f.vector("angular_velocity")?;
        let own = f.vector("body_angular_velocity")?;
        f.not_both("angular_velocity", "body_angular_velocity")?;
        let given = linear.is_some() || world.is_some() || own.is_some();
        Ok(given.then(|| WrittenVelocity {
            linear: linear.unwrap_or_else(Vec3::zeros),
            angular: world.or(own).unwrap_or_else(Vec3::zeros),
            body_axes: own.is_some(),
        }))
    }

    /// Volume (area of planar shapes), centroid and inertia of the shapes, if they are finite.
    fn properties(parts: &Parts) -> Option<MassProperties> {
        match parts {
            Parts::Space(none) if none.is_empty() => None,
            Parts::Space(parts) => {
                parts.iter().map(|(pose, solid)| Some(solid.mass_properties()?.placed(pose))).sum()
            }
            Parts::Plane(parts) => lamina::properties(parts),
        }
    }

    fn density(&self, material: Option<usize>) -> Read<Option<f64>> {
        let own = self.fields.positive("density", DENSITY)?;
        Ok(own.or(material.and_then(|index| self.materials[index].density)))
    }

    /// The mass, as given or from density and shapes.
    fn mass(&self, parts: &Parts, material: Option<usize>) -> Read<f64> {
        let f = &self.fields;
        f.not_both("mass", "density")?;
        let mass = f.positive("mass", KILOGRAMS)?;
        let density = self.density(material)?;
        match (mass, density, Self::properties(parts)) {
            (Some(mass), ..) => Ok(mass),
            (None, Some(density), Some(properties)) => Ok(properties.mass(density)),
            (None, Some(_), None) => Err(self.no_mass("has a density but no shape of finite volume")),
            (None, None, _) => Err(self.no_mass("has no mass")),
        }
    }

    fn no_mass(&self, message: &str) -> crate::report::Reported {
        let f = &self.fields;
        let remedy = "give `mass`, or a shape with `density` or `material`; kind = \"fixed\" needs none";
        f.report.complain(f.place, format!("`{}` {message}", f.name), remedy)
    }

    fn rigid(&self, parts: &Parts, material: Option<usize>) -> Read<Body> {
        let f = &self.fields;
        let mass = self.mass(parts, material)?;
        let properties = Self::properties(parts);
        let center = f.vector("center_of_mass")?;
        let built = if let Some(inertia) = self.inertia()? {
            let center = center.or(properties.map(|p| p.centroid)).unwrap_or_else(Vec3::zeros);
            Body::rigid(self.name, mass, center, &inertia)
        } else {
            if center.is_some() {
                let message = "is given, but the inertia about it is not";
                let remedy = "add `inertia` or `moments` about the centre of mass";
                return Err(f.wrong("center_of_mass", message, remedy));
            }
            let Some(properties) = properties else {
                let message =
                    format!("`{}` has a mass but neither inertia nor a shape of finite volume", f.name);
                let remedy = "add `moments`, `inertia` or a shape, or make it a particle";
                return Err(f.report.complain(f.place, message, remedy));
            };
            if f.has("mass") {
                let inertia = properties.inertia * (mass / properties.volume);
                Body::rigid(self.name, mass, properties.centroid, &inertia)
            } else {
                // There is a density, as otherwise there would be no mass.
                let density = self.density(material)?.unwrap_or(mass / properties.volume);
                Body::of_density(self.name, &properties, density)
            }
        };
        built.map_err(|error| {
            let key = f.first_of(&["inertia", "moments", "mass", "density"]).unwrap_or("shape");
            f.report.complain_with(f.place_of(key), &format!("`{}`: {error}", f.name))
        })
    }

    fn inertia(&self) -> Read<Option<Mat3>> {
        let f = &self.fields;
        f.not_both("inertia", "moments")?;
        if let Some(moments) = f.vector("moments")? {
            return Ok(Some(Mat3::from_diagonal(&moments)));
        }
        let Some(rows) = f.rows::<3>("inertia")? else { return Ok(None) };
        if rows.len() != 3 {
            let remedy = "give a 3 by 3 matrix by rows, or its three principal values as `moments`";
            return Err(f.wrong("inertia", "does not have three rows", remedy));
        }
        Ok(Some(Mat3::from_fn(|i, j| rows[i][j])))
    }
}
