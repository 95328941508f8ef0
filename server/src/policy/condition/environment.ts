import { type CelEnv, CelScalar, celEnv, celFunc, celMethod } from '@bufbuild/cel'
import { Pattern } from './pattern.ts'
import { rankOf } from './rank.ts'
import { timeFunctions } from './time-zone.ts'

/** CEL with our own functions, and the compiled regular expressions of the conditions that share it. */
export interface Environment {
  readonly cel: CelEnv
  /** Compiled once each. Throws an Error that says what is wrong with `source`. */
  pattern(source: string): Pattern
}

export function createEnvironment(): Environment {
  const patterns = new Map<string, Pattern>()
  const pattern = (source: string): Pattern => {
    const known = patterns.get(source) ?? new Pattern(source)
    patterns.set(source, known)
    return known
  }
  const cel = celEnv({
    re2: { compile: pattern },
    funcs: [
      celFunc('rank', [CelScalar.STRING], CelScalar.INT, (word) => BigInt(rankOf(word))),
      // The library's own makes an array of all characters first.
      celFunc('size', [CelScalar.STRING], CelScalar.INT, (text) => BigInt(characters(text))),
      celMethod('size', CelScalar.STRING, [], CelScalar.INT, function () {
        return BigInt(characters(this))
      }),
      ...timeFunctions(),
    ],
  })
  return { cel, pattern }
}

/** Unicode characters, not UTF-16 units: a pair of surrogates counts once. */
function characters(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count -= 1
  }
  return count
}
