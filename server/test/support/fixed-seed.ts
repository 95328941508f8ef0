import fc from 'fast-check'

/**
 * Property tests try the same inputs in each run, so that they fail because of a change and not by chance. vitest.config.ts loads
 * this file before each test file. `FUZZ_SEED` selects other inputs.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FUZZ_SEED ?? 20_261_123) })
