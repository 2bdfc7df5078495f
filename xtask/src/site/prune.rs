//! Taking out of the client what can never run.
//!
//! Every view carries code for hydrating as a future, which `leptos::mount::hydrate_lazy` alone
//! starts. The page is hydrated at once (`hydrate_body`), yet the linker cannot see that a function
//! in a table is never called. Such functions get an empty body here; `wasm-opt` then drops all that
//! only they used, about a tenth of the client.

use anyhow::{Result, bail};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module};

/// In the names of the functions that only a lazy start would reach.
const LAZY: &str = "hydrate_async";

/// In the names of those that start lazily.
const STARTS: [&str; 2] = ["hydrate_lazy", "hydrate_from_async"];

/// Empties what only a lazy start would reach, and answers with the number of functions.
pub(crate) fn lazy_hydration(module: &mut Module) -> Result<usize> {
    let named = |part: &str| {
        let has = |name: &Option<String>| name.as_deref().is_some_and(|name| name.contains(part));
        module
            .funcs
            .iter_local()
            .map(|(id, _)| id)
            .filter(|id| has(&module.funcs.get(*id).name))
            .collect::<Vec<FunctionId>>()
    };
    if let Some(start) = STARTS.into_iter().find(|start| !named(start).is_empty()) {
        bail!(
            "the client calls `{start}`, which needs what is taken out here: remove the call to \
             `prune::lazy_hydration` in xtask/src/site/client.rs"
        );
    }
    let lazy = named(LAZY);
    for id in &lazy {
        let kind = module.types.get(module.funcs.get(*id).ty());
        let (parameters, results) = (kind.params().to_vec(), kind.results().to_vec());
        let arguments = parameters.iter().map(|kind| module.locals.add(*kind)).collect();
        let mut empty = FunctionBuilder::new(&mut module.types, &parameters, &results);
        empty.func_body().unreachable();
        module.funcs.get_mut(*id).kind = FunctionKind::Local(empty.local_func(arguments));
    }
    Ok(lazy.len())
}

#[cfg(test)]
mod tests {
    use walrus::ValType;

    use super::*;

    /// A module with one function of each name, all exported so that none is dropped.
    fn module(names: &[&str]) -> Module {
        let mut module = Module::default();
        for name in names {
            let mut builder =
                FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
            builder.name((*name).to_owned());
            let argument = module.locals.add(ValType::I32);
            builder.func_body().local_get(argument);
            let id = builder.finish(vec![argument], &mut module.funcs);
            module.exports.add(name, id);
        }
        module
    }

    /// Whether the function of this name still gives its argument back.
    fn is_whole(module: &Module, name: &str) -> bool {
        let id = module.funcs.by_name(name).expect("the function is there");
        let function = module.funcs.get(id).kind.unwrap_local();
        let first = &function.block(function.entry_block()).instrs[0].0;
        matches!(first, walrus::ir::Instr::LocalGet(_))
    }

    #[test]
    fn only_what_a_lazy_start_reaches_is_emptied() {
        let names = ["tachys::view::hydrate_async::h1", "tachys::view::hydrate::h2"];
        let mut module = module(&names);
        assert_eq!(lazy_hydration(&mut module).expect("nothing starts lazily"), 1);
        assert!(!is_whole(&module, names[0]));
        assert!(is_whole(&module, names[1]));
        // What is left is still a module.
        let bytes = module.emit_wasm();
        Module::from_buffer(&bytes).expect("a valid module");
    }

    #[test]
    fn a_lazy_start_is_refused() {
        let mut module = module(&["leptos::mount::hydrate_from_async", "x::hydrate_async"]);
        let error = lazy_hydration(&mut module).expect_err("something starts lazily");
        assert!(error.to_string().contains("hydrate_from_async"), "{error}");
        assert!(is_whole(&module, "x::hydrate_async"));
    }
}
