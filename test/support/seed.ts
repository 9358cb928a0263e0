/**
 * Properties are tried with the same random texts in every run, so that a change is judged by what it
 * changed; `npm run fuzz` tries new ones, and more of them.
 */
import fc from 'fast-check'

const SEED = 20_261_116

/** How many times as many texts as usual are tried. */
export const fuzzFactor: number = Number(process.env['TOOLGLOT_FUZZ'] ?? 0)

if (fuzzFactor === 0) fc.configureGlobal({ seed: SEED })
