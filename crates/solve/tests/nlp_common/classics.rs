//! Problems of Hock and Schittkowski, "Test Examples for Nonlinear Programming Codes" (1981), with their optima as printed
//! there.

use super::{Dense, Jet};
use percussion_solve::nlp::Bound;

pub struct Classic {
    pub name: &'static str,
    pub program: Dense,
    pub start: Vec<f64>,
    /// The optimum of the book.
    pub best: f64,
}

const FREE: Bound = Bound::FREE;

fn ge(value: f64) -> Bound {
    Bound::at_least(value)
}

fn within(lower: f64, upper: f64) -> Bound {
    Bound::between(lower, upper)
}

fn eq(value: f64) -> Bound {
    Bound::equal(value)
}

fn case(
    name: &'static str,
    best: f64,
    start: &[f64],
    variables: Vec<Bound>,
    constraints: Vec<Bound>,
    formula: impl Fn(&[Jet]) -> (Jet, Vec<Jet>) + 'static,
) -> Classic {
    Classic { name, program: Dense::new(variables, constraints, formula), start: start.to_vec(), best }
}

pub fn all() -> Vec<Classic> {
    small().into_iter().chain(medium()).chain(large()).collect()
}

fn small() -> Vec<Classic> {
    let root3 = 3.0_f64.sqrt();
    vec![
        case("HS1", 0.0, &[-2.0, 1.0], vec![FREE, ge(-1.5)], vec![], |x| {
            (100.0 * (&x[1] - x[0].sq()).sq() + (1.0 - &x[0]).sq(), vec![])
        }),
        case(
            "HS5",
            -root3 / 2.0 - std::f64::consts::PI / 3.0,
            &[0.0, 0.0],
            vec![within(-1.5, 4.0), within(-3.0, 3.0)],
            vec![],
            |x| {
                let f = (&x[0] + &x[1]).sin() + (&x[0] - &x[1]).sq() - 1.5 * &x[0] + 2.5 * &x[1] + 1.0;
                (f, vec![])
            },
        ),
        case("HS6", 0.0, &[-1.2, 1.0], vec![FREE; 2], vec![eq(0.0)], |x| {
            ((1.0 - &x[0]).sq(), vec![10.0 * (&x[1] - x[0].sq())])
        }),
        case("HS7", -root3, &[2.0, 2.0], vec![FREE; 2], vec![eq(4.0)], |x| {
            let p = x[0].sq() + 1.0;
            (p.ln() - &x[1], vec![p.sq() + x[1].sq()])
        }),
        case("HS10", -1.0, &[-10.0, 10.0], vec![FREE; 2], vec![ge(0.0)], |x| {
            (&x[0] - &x[1], vec![-3.0 * x[0].sq() + 2.0 * (&x[0] * &x[1]) - x[1].sq() + 1.0])
        }),
        case("HS11", -8.498464223, &[4.9, 0.1], vec![FREE; 2], vec![ge(0.0)], |x| {
            ((&x[0] - 5.0).sq() + x[1].sq() - 25.0, vec![&x[1] - x[0].sq()])
        }),
        case("HS14", 9.0 - 2.875 * 7.0_f64.sqrt(), &[2.0, 2.0], vec![FREE; 2], vec![ge(0.0), eq(0.0)], |x| {
            let f = (&x[0] - 2.0).sq() + (&x[1] - 1.0).sq();
            (f, vec![-0.25 * x[0].sq() - x[1].sq() + 1.0, &x[0] - 2.0 * &x[1] + 1.0])
        }),
        case("HS15", 306.5, &[-2.0, 1.0], vec![Bound::at_most(0.5), FREE], vec![ge(1.0), ge(0.0)], |x| {
            let f = 100.0 * (&x[1] - x[0].sq()).sq() + (1.0 - &x[0]).sq();
            (f, vec![&x[0] * &x[1], &x[0] + x[1].sq()])
        }),
        case(
            "HS21",
            -99.96,
            &[-1.0, -1.0],
            vec![within(2.0, 50.0), within(-50.0, 50.0)],
            vec![ge(10.0)],
            |x| (0.01 * x[0].sq() + x[1].sq() - 100.0, vec![10.0 * &x[0] - &x[1]]),
        ),
        case("HS24", -1.0, &[1.0, 0.5], vec![ge(0.0); 2], vec![ge(0.0), within(0.0, 6.0)], move |x| {
            let f = ((&x[0] - 3.0).sq() - 9.0) * x[1].pow(3) * (1.0 / (27.0 * root3));
            (f, vec![&x[0] * (1.0 / root3) - &x[1], &x[0] + root3 * &x[1]])
        }),
    ]
}

fn medium() -> Vec<Classic> {
    vec![
        case("HS26", 0.0, &[-2.6, 2.0, 2.0], vec![FREE; 3], vec![eq(3.0)], |x| {
            let f = (&x[0] - &x[1]).sq() + (&x[1] - &x[2]).pow(4);
            (f, vec![(x[1].sq() + 1.0) * &x[0] + x[2].pow(4)])
        }),
        case("HS28", 0.0, &[-4.0, 1.0, 1.0], vec![FREE; 3], vec![eq(1.0)], |x| {
            let f = (&x[0] + &x[1]).sq() + (&x[1] + &x[2]).sq();
            (f, vec![&x[0] + 2.0 * &x[1] + 3.0 * &x[2]])
        }),
        case("HS35", 1.0 / 9.0, &[0.5; 3], vec![ge(0.0); 3], vec![Bound::at_most(3.0)], |x| {
            let f = 9.0 - 8.0 * &x[0] - 6.0 * &x[1] - 4.0 * &x[2]
                + 2.0 * x[0].sq()
                + 2.0 * x[1].sq()
                + x[2].sq()
                + 2.0 * (&x[0] * &x[1])
                + 2.0 * (&x[0] * &x[2]);
            (f, vec![&x[0] + &x[1] + 2.0 * &x[2]])
        }),
        case("HS38", 0.0, &[-3.0, -1.0, -3.0, -1.0], vec![within(-10.0, 10.0); 4], vec![], |x| {
            let f = 100.0 * (&x[1] - x[0].sq()).sq()
                + (1.0 - &x[0]).sq()
                + 90.0 * (&x[3] - x[2].sq()).sq()
                + (1.0 - &x[2]).sq()
                + 10.1 * ((&x[1] - 1.0).sq() + (&x[3] - 1.0).sq())
                + 19.8 * ((&x[1] - 1.0) * (&x[3] - 1.0));
            (f, vec![])
        }),
        case("HS39", -1.0, &[2.0; 4], vec![FREE; 4], vec![eq(0.0); 2], |x| {
            (-&x[0], vec![&x[1] - x[0].pow(3) - x[2].sq(), x[0].sq() - &x[1] - x[3].sq()])
        }),
        case("HS40", -0.25, &[0.8; 4], vec![FREE; 4], vec![eq(1.0), eq(0.0), eq(0.0)], |x| {
            let f = -(&x[0] * &x[1] * &x[2] * &x[3]);
            (f, vec![x[0].pow(3) + x[1].sq(), x[0].sq() * &x[3] - &x[2], x[3].sq() - &x[1]])
        }),
        case("HS43", -44.0, &[0.0; 4], vec![FREE; 4], vec![ge(-8.0), ge(-10.0), ge(-5.0)], |x| {
            let s: Vec<_> = x.iter().map(Jet::sq).collect();
            let f =
                &s[0] + &s[1] + 2.0 * &s[2] + &s[3] - 5.0 * &x[0] - 5.0 * &x[1] - 21.0 * &x[2] + 7.0 * &x[3];
            let a = -&s[0] - &s[1] - &s[2] - &s[3] - &x[0] + &x[1] - &x[2] + &x[3];
            let b = -&s[0] - 2.0 * &s[1] - &s[2] - 2.0 * &s[3] + &x[0] + &x[3];
            let c = -2.0 * &s[0] - &s[1] - &s[2] - 2.0 * &x[0] + &x[1] + &x[3];
            (f, vec![a, b, c])
        }),
    ]
}

fn large() -> Vec<Classic> {
    vec![
        case("HS48", 0.0, &[3.0, 5.0, -3.0, 2.0, -2.0], vec![FREE; 5], vec![eq(5.0), eq(-3.0)], |x| {
            let f = (&x[0] - 1.0).sq() + (&x[1] - &x[2]).sq() + (&x[3] - &x[4]).sq();
            (f, vec![&x[0] + &x[1] + &x[2] + &x[3] + &x[4], &x[2] - 2.0 * (&x[3] + &x[4])])
        }),
        case("HS63", 961.7151721, &[2.0; 3], vec![ge(0.0); 3], vec![eq(56.0), eq(25.0)], |x| {
            let f = 1000.0 - x[0].sq() - 2.0 * x[1].sq() - x[2].sq() - &x[0] * &x[1] - &x[0] * &x[2];
            (f, vec![8.0 * &x[0] + 14.0 * &x[1] + 7.0 * &x[2], x[0].sq() + x[1].sq() + x[2].sq()])
        }),
        case(
            "HS65",
            0.9535288567,
            &[-5.0, 5.0, 0.0],
            vec![within(-4.5, 4.5), within(-4.5, 4.5), within(-5.0, 5.0)],
            vec![Bound::at_most(48.0)],
            |x| {
                let f = (&x[0] - &x[1]).sq() + (&x[0] + &x[1] - 10.0).sq() * (1.0 / 9.0) + (&x[2] - 5.0).sq();
                (f, vec![x[0].sq() + x[1].sq() + x[2].sq()])
            },
        ),
        case(
            "HS71",
            17.0140173,
            &[1.0, 5.0, 5.0, 1.0],
            vec![within(1.0, 5.0); 4],
            vec![ge(25.0), eq(40.0)],
            |x| {
                let f = &x[0] * &x[3] * (&x[0] + &x[1] + &x[2]) + &x[2];
                let product = &x[0] * &x[1] * &x[2] * &x[3];
                (f, vec![product, x[0].sq() + x[1].sq() + x[2].sq() + x[3].sq()])
            },
        ),
        case(
            "HS76",
            -4.681818181,
            &[0.5; 4],
            vec![ge(0.0); 4],
            vec![Bound::at_most(5.0), Bound::at_most(4.0), ge(1.5)],
            |x| {
                let f = x[0].sq() + 0.5 * x[1].sq() + x[2].sq() + 0.5 * x[3].sq() - &x[0] * &x[2]
                    + &x[2] * &x[3]
                    - &x[0]
                    - 3.0 * &x[1]
                    + &x[2]
                    - &x[3];
                let a = &x[0] + 2.0 * &x[1] + &x[2] + &x[3];
                let b = 3.0 * &x[0] + &x[1] + 2.0 * &x[2] - &x[3];
                (f, vec![a, b, &x[1] + 4.0 * &x[2]])
            },
        ),
        case(
            "HS100",
            680.6300573,
            &[1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0],
            vec![FREE; 7],
            vec![ge(-127.0), ge(-282.0), ge(-196.0), ge(0.0)],
            |x| {
                let f = (&x[0] - 10.0).sq()
                    + 5.0 * (&x[1] - 12.0).sq()
                    + x[2].pow(4)
                    + 3.0 * (&x[3] - 11.0).sq()
                    + 10.0 * x[4].pow(6)
                    + 7.0 * x[5].sq()
                    + x[6].pow(4)
                    - 4.0 * (&x[5] * &x[6])
                    - 10.0 * &x[5]
                    - 8.0 * &x[6];
                let a = -2.0 * x[0].sq() - 3.0 * x[1].pow(4) - &x[2] - 4.0 * x[3].sq() - 5.0 * &x[4];
                let b = -7.0 * &x[0] - 3.0 * &x[1] - 10.0 * x[2].sq() - &x[3] + &x[4];
                let c = -23.0 * &x[0] - x[1].sq() - 6.0 * x[5].sq() + 8.0 * &x[6];
                let d = -4.0 * x[0].sq() - x[1].sq() + 3.0 * (&x[0] * &x[1]) - 2.0 * x[2].sq() - 5.0 * &x[5]
                    + 11.0 * &x[6];
                (f, vec![a, b, c, d])
            },
        ),
        case(
            "HS106",
            7049.24802,
            &[5000.0, 5000.0, 5000.0, 200.0, 350.0, 150.0, 225.0, 425.0],
            [vec![within(100.0, 1e4)], vec![within(1e3, 1e4); 2], vec![within(10.0, 1e3); 5]].concat(),
            vec![ge(-1.0), ge(-1.0), ge(-1.0), ge(-83333.333), ge(0.0), ge(1_250_000.0)],
            |x| {
                let c = vec![
                    -0.0025 * (&x[3] + &x[5]),
                    -0.0025 * (&x[4] + &x[6] - &x[3]),
                    -0.01 * (&x[7] - &x[4]),
                    &x[0] * &x[5] - 833.33252 * &x[3] - 100.0 * &x[0],
                    &x[1] * &x[6] - 1250.0 * &x[4] - &x[1] * &x[3] + 1250.0 * &x[3],
                    &x[2] * &x[7] - &x[2] * &x[4] + 2500.0 * &x[4],
                ];
                (&x[0] + &x[1] + &x[2], c)
            },
        ),
    ]
}

/// HS13: the only solution is a cusp without multipliers.
pub fn cusp() -> Classic {
    case("HS13", 1.0, &[-2.0, -2.0], vec![ge(0.0); 2], vec![ge(0.0)], |x| {
        ((&x[0] - 2.0).sq() + x[1].sq(), vec![(1.0 - &x[0]).pow(3) - &x[1]])
    })
}
