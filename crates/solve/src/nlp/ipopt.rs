//! Ipopt as a second solver, through its C interface (version 3.11 or newer): the same programs, seen through a chart; the same
//! outcomes, checked by the same residual. Only with the feature `ipopt`, which needs the library.

use super::charted::Charted;
use super::interior_point::Options;
use super::problem::{Bound, Program};
use super::residual::kkt_residual;
use super::solution::{
    CallbackAction, Conflict, ConstraintId, IterationRecord, Multipliers, Outcome, Solution, Timing,
};
use crate::error::SolveError;
use std::any::Any;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The linear solver that Ipopt is usually built with keeps state of the whole process: one search at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What Ipopt takes for infinity.
const INFINITE: f64 = 2e19;

type Opaque = *mut c_void;
type EvalF = extern "C" fn(c_int, *const f64, c_int, *mut f64, Opaque) -> c_int;
type EvalGradF = extern "C" fn(c_int, *const f64, c_int, *mut f64, Opaque) -> c_int;
type EvalG = extern "C" fn(c_int, *const f64, c_int, c_int, *mut f64, Opaque) -> c_int;
type EvalJacG =
    extern "C" fn(c_int, *const f64, c_int, c_int, c_int, *mut c_int, *mut c_int, *mut f64, Opaque) -> c_int;
type EvalH = extern "C" fn(
    c_int,
    *const f64,
    c_int,
    f64,
    c_int,
    *const f64,
    c_int,
    c_int,
    *mut c_int,
    *mut c_int,
    *mut f64,
    Opaque,
) -> c_int;
type Intermediate =
    extern "C" fn(c_int, c_int, f64, f64, f64, f64, f64, f64, f64, f64, c_int, Opaque) -> c_int;

// The interface's booleans are C integers up to 3.13 and C booleans after. Callbacks return a register whose low byte is right
// for both and read none that they are given; of the library's own only the low byte is read.
#[link(name = "ipopt")]
unsafe extern "C" {
    fn CreateIpoptProblem(
        n: c_int,
        x_lower: *const f64,
        x_upper: *const f64,
        m: c_int,
        g_lower: *const f64,
        g_upper: *const f64,
        jacobian: c_int,
        hessian: c_int,
        index_style: c_int,
        f: EvalF,
        g: EvalG,
        grad_f: EvalGradF,
        jac_g: EvalJacG,
        h: EvalH,
    ) -> Opaque;
    fn FreeIpoptProblem(problem: Opaque);
    fn AddIpoptStrOption(problem: Opaque, name: *const c_char, value: *const c_char) -> u8;
    fn AddIpoptNumOption(problem: Opaque, name: *const c_char, value: f64) -> u8;
    fn AddIpoptIntOption(problem: Opaque, name: *const c_char, value: c_int) -> u8;
    fn SetIntermediateCallback(problem: Opaque, callback: Intermediate) -> u8;
    fn IpoptSolve(
        problem: Opaque,
        x: *mut f64,
        g: *mut f64,
        objective: *mut f64,
        multipliers: *mut f64,
        lower: *mut f64,
        upper: *mut f64,
        user: Opaque,
    ) -> c_int;
}

/// What the callbacks work with.
struct Context<'a, 'b, P: Program> {
    program: Charted<'a, P>,
    callback: &'b mut dyn FnMut(&IterationRecord) -> CallbackAction,
    x: Vec<f64>,
    gradient: Vec<f64>,
    jacobian: Vec<f64>,
    constraints: Vec<f64>,
    multipliers: Vec<f64>,
    iterations: usize,
    evaluations: usize,
    time: Duration,
    /// What a callback panicked with: no unwinding through C.
    panicked: Option<Box<dyn Any + Send>>,
}

impl<P: Program> Context<'_, '_, P> {
    /// Runs a callback; whether it has an answer.
    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> Option<()>) -> c_int {
        let start = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.time += start.elapsed();
        match done {
            Ok(answer) => c_int::from(answer.is_some()),
            Err(cause) => {
                self.panicked = Some(cause);
                0
            }
        }
    }
}

/// The callbacks' context and the slices they are given.
///
/// SAFETY of all callbacks: Ipopt passes the pointer given to `IpoptSolve`, which lives until it returns and is used by one
/// callback at a time, and arrays of the lengths declared to `CreateIpoptProblem`.
macro_rules! context {
    ($user:ident) => {
        unsafe { &mut *$user.cast::<Context<P>>() }
    };
}

unsafe fn list<'a>(pointer: *const f64, length: usize) -> &'a [f64] {
    if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, length) } }
}

unsafe fn list_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    if length == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(pointer, length) } }
}

extern "C" fn eval_f<P: Program>(n: c_int, x: *const f64, _: c_int, out: *mut f64, user: Opaque) -> c_int {
    context!(user).guarded(|c| {
        c.x.copy_from_slice(unsafe { list(x, n as usize) });
        c.evaluations += 1;
        let f = c.program.evaluate(&c.x, &mut c.constraints).ok().filter(|f| f.is_finite())?;
        unsafe { *out = f };
        Some(())
    })
}

extern "C" fn eval_g<P: Program>(
    n: c_int,
    x: *const f64,
    _: c_int,
    m: c_int,
    out: *mut f64,
    user: Opaque,
) -> c_int {
    context!(user).guarded(|c| {
        c.x.copy_from_slice(unsafe { list(x, n as usize) });
        c.evaluations += 1;
        c.program.evaluate(&c.x, &mut c.constraints).ok()?;
        unsafe { list_mut(out, m as usize) }.copy_from_slice(&c.constraints);
        c.constraints.iter().all(|v| v.is_finite()).then_some(())
    })
}

extern "C" fn eval_grad_f<P: Program>(
    n: c_int,
    x: *const f64,
    _: c_int,
    out: *mut f64,
    user: Opaque,
) -> c_int {
    context!(user).guarded(|c| {
        c.x.copy_from_slice(unsafe { list(x, n as usize) });
        c.program.differentiate(&c.x, &mut c.gradient, &mut c.jacobian).ok()?;
        unsafe { list_mut(out, n as usize) }.copy_from_slice(&c.gradient);
        Some(())
    })
}

extern "C" fn eval_jac_g<P: Program>(
    n: c_int,
    x: *const f64,
    _: c_int,
    _: c_int,
    entries: c_int,
    rows: *mut c_int,
    columns: *mut c_int,
    values: *mut f64,
    user: Opaque,
) -> c_int {
    context!(user).guarded(|c| {
        let entries = entries as usize;
        if values.is_null() {
            let places = &c.program.layout().jacobian;
            write_places(&places.rows, unsafe { list_mut(rows, entries) });
            write_places(&places.columns, unsafe { list_mut(columns, entries) });
            return Some(());
        }
        c.x.copy_from_slice(unsafe { list(x, n as usize) });
        c.program.differentiate(&c.x, &mut c.gradient, &mut c.jacobian).ok()?;
        unsafe { list_mut(values, entries) }.copy_from_slice(&c.jacobian);
        Some(())
    })
}

extern "C" fn eval_h<P: Program>(
    n: c_int,
    x: *const f64,
    _: c_int,
    weight: f64,
    m: c_int,
    multipliers: *const f64,
    _: c_int,
    entries: c_int,
    rows: *mut c_int,
    columns: *mut c_int,
    values: *mut f64,
    user: Opaque,
) -> c_int {
    context!(user).guarded(|c| {
        let entries = entries as usize;
        if values.is_null() {
            let places = &c.program.layout().hessian;
            write_places(&places.rows, unsafe { list_mut(rows, entries) });
            write_places(&places.columns, unsafe { list_mut(columns, entries) });
            return Some(());
        }
        c.x.copy_from_slice(unsafe { list(x, n as usize) });
        c.multipliers.copy_from_slice(unsafe { list(multipliers, m as usize) });
        c.program.lagrangian_hessian(&c.x, weight, &c.multipliers, unsafe { list_mut(values, entries) }).ok()
    })
}

extern "C" fn intermediate<P: Program>(
    mode: c_int,
    iteration: c_int,
    objective: f64,
    primal: f64,
    dual: f64,
    barrier: f64,
    step: f64,
    regularisation: f64,
    alpha_dual: f64,
    alpha_primal: f64,
    trials: c_int,
    user: Opaque,
) -> c_int {
    context!(user).guarded(|c| {
        c.iterations = usize::try_from(iteration).unwrap_or(0);
        let record = IterationRecord {
            iteration: c.iterations,
            restoration: mode != 0,
            objective,
            primal,
            dual,
            log_barrier: barrier.log10(),
            step,
            regularisation,
            alpha_dual,
            alpha_primal,
            trials: usize::try_from(trials).unwrap_or(0),
            ..IterationRecord::default()
        };
        ((c.callback)(&record) == CallbackAction::Continue).then_some(())
    })
}

fn write_places(from: &[usize], to: &mut [c_int]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from as c_int;
    }
}

/// Solves a program from a start with Ipopt. Of a warm start only the objective's scale is passed on.
pub fn solve_ipopt<P: Program>(
    program: &mut P,
    start: &P::Point,
    options: &Options,
    callback: &mut dyn FnMut(&IterationRecord) -> CallbackAction,
) -> Result<Solution<P::Point>, SolveError> {
    let began = Instant::now();
    let layout = program.layout().clone();
    let (n, m) = (layout.variables.len(), layout.constraints.len());
    let largest = n.max(m).max(layout.jacobian.len()).max(layout.hessian.len());
    if n == 0 || c_int::try_from(largest).is_err() {
        return Err(SolveError::Unsuitable {
            method: "Ipopt",
            needs: "sizes between 1 and those of a C integer",
        });
    }
    let charted = Charted::new(program, start);
    let mut base = vec![0.0; n];
    charted.coordinates(&vec![0.0; n], &mut base);
    let ends = |bound: &Bound, by: f64| ((bound.lower - by).max(-INFINITE), (bound.upper - by).min(INFINITE));
    let (x_lower, x_upper): (Vec<f64>, Vec<f64>) = layout
        .variables
        .iter()
        .zip(&base)
        .map(|(b, &x)| ends(b, if *b == Bound::FREE { 0.0 } else { x }))
        .unzip();
    let (g_lower, g_upper): (Vec<f64>, Vec<f64>) = layout.constraints.iter().map(|b| ends(b, 0.0)).unzip();
    let mut context = Context {
        x: vec![0.0; n],
        gradient: vec![0.0; n],
        jacobian: vec![0.0; charted.layout().jacobian.len()],
        constraints: vec![0.0; m],
        multipliers: vec![0.0; m],
        program: charted,
        callback,
        iterations: 0,
        evaluations: 0,
        time: Duration::ZERO,
        panicked: None,
    };
    let mut x: Vec<f64> = x_lower.iter().zip(&x_upper).map(|(l, u)| 0.0_f64.max(*l).min(*u)).collect();
    let mut g = vec![0.0; m];
    let mut objective = f64::NAN;
    let mut multipliers = Multipliers::zeros(n, m);
    let bounds = [&x_lower, &x_upper, &g_lower, &g_upper].map(Vec::as_slice);
    let status =
        run_ipopt(&mut context, bounds, options, (&mut x, &mut g), (&mut objective, &mut multipliers))?;
    if let Some(cause) = context.panicked.take() {
        resume_unwind(cause);
    }
    let point = context.program.point_at(&x);
    let (iterations, evaluations, time) = (context.iterations, context.evaluations, context.time);
    let outcome =
        outcome(status, || conflicts(&context.program, &layout.constraints, &g, &multipliers, options));
    drop(context);
    let residual = kkt_residual(program, &point, &multipliers)?;
    let timing = Timing { total: began.elapsed(), program: time, ..Timing::default() };
    Ok(Solution {
        point,
        objective,
        multipliers,
        outcome,
        residual,
        iterations,
        factorisations: 0,
        evaluations,
        barrier: f64::NAN,
        scale: 1.0,
        timing,
    })
}

/// Calls Ipopt with bounds of variables and constraints; its status.
fn run_ipopt<P: Program>(
    context: &mut Context<P>,
    bounds: [&[f64]; 4],
    options: &Options,
    (x, g): (&mut [f64], &mut [f64]),
    (objective, multipliers): (&mut f64, &mut Multipliers),
) -> Result<c_int, SolveError> {
    let layout = context.program.layout();
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: all arrays have the lengths declared and outlive the problem, which is freed here.
    unsafe {
        let problem = CreateIpoptProblem(
            x.len() as c_int,
            bounds[0].as_ptr(),
            bounds[1].as_ptr(),
            g.len() as c_int,
            bounds[2].as_ptr(),
            bounds[3].as_ptr(),
            layout.jacobian.len() as c_int,
            layout.hessian.len() as c_int,
            0,
            eval_f::<P>,
            eval_g::<P>,
            eval_grad_f::<P>,
            eval_jac_g::<P>,
            eval_h::<P>,
        );
        if problem.is_null() {
            return Err(SolveError::Unsuitable {
                method: "Ipopt",
                needs: "sizes and bounds that make sense",
            });
        }
        set_options(problem, options);
        SetIntermediateCallback(problem, intermediate::<P>);
        let status = IpoptSolve(
            problem,
            x.as_mut_ptr(),
            g.as_mut_ptr(),
            objective,
            multipliers.constraints.as_mut_ptr(),
            multipliers.lower.as_mut_ptr(),
            multipliers.upper.as_mut_ptr(),
            std::ptr::from_mut(context).cast(),
        );
        FreeIpoptProblem(problem);
        Ok(status)
    }
}

/// SAFETY: needs a problem that has not been freed.
unsafe fn set_options(problem: Opaque, options: &Options) {
    // The names have no zero inside.
    let text = |s: &str| CString::new(s).unwrap_or_default();
    unsafe {
        for (name, value) in [("sb", "yes"), ("nlp_scaling_method", "gradient-based")] {
            AddIpoptStrOption(problem, text(name).as_ptr(), text(value).as_ptr());
        }
        let limit = c_int::try_from(options.iterations).unwrap_or(c_int::MAX);
        for (name, value) in [("print_level", 0), ("max_iter", limit)] {
            AddIpoptIntOption(problem, text(name).as_ptr(), value);
        }
        for (name, value) in [
            ("tol", options.tolerance),
            ("constr_viol_tol", options.constraint_tolerance),
            ("acceptable_tol", options.acceptable_tolerance),
            ("mu_init", options.barrier),
            ("bound_relax_factor", 1e-12),
            ("obj_scaling_factor", options.warm.as_ref().and_then(|w| w.scale).unwrap_or(1.0).max(1.0)),
        ] {
            AddIpoptNumOption(problem, text(name).as_ptr(), value);
        }
    }
}

fn outcome(status: c_int, conflicts: impl FnOnce() -> Vec<Conflict>) -> Outcome {
    let stalled = |why: &str| Outcome::Stalled { why: why.to_owned() };
    match status {
        0 => Outcome::Optimal,
        1 => Outcome::Acceptable { why: "Ipopt was content with its acceptable level".into() },
        2 => Outcome::Infeasible { conflicts: conflicts() },
        3 => stalled("the step becomes too short"),
        4 => Outcome::Unbounded,
        5 => Outcome::Stopped,
        6 => stalled("a feasible point, no more"),
        -1 => Outcome::IterationLimit,
        -2 => stalled("restoration failed"),
        -3 => stalled("no step could be computed"),
        -10 => stalled("fewer variables than equations"),
        -13 => stalled("the program has no value where it is needed"),
        code => Outcome::Stalled { why: format!("Ipopt ended with code {code}") },
    }
}

fn conflicts<P: Program>(
    program: &Charted<P>,
    bounds: &[Bound],
    g: &[f64],
    multipliers: &Multipliers,
    options: &Options,
) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = (0..g.len())
        .map(|constraint| Conflict {
            id: ConstraintId::Constraint(constraint),
            name: program.constraint_name(constraint),
            violation: bounds[constraint].violation(g[constraint]),
            multiplier: multipliers.constraints[constraint],
        })
        .filter(|c| c.violation > options.constraint_tolerance)
        .collect();
    conflicts.sort_by(|a, b| b.violation.total_cmp(&a.violation));
    conflicts
}
