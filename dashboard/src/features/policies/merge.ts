import { diff3Merge } from 'node-diff3'

/** A part of a merged text: lines, or a conflict between two changes of the same lines. */
export type MergePart =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict'
      readonly own: readonly string[]
      readonly base: readonly string[]
      readonly other: readonly string[]
    }

/** A region as the library returns it, which has no types. */
interface Region {
  readonly ok?: readonly string[]
  readonly conflict?: { readonly a: readonly string[]; readonly o: readonly string[]; readonly b: readonly string[] }
}

export type Choice = 'own' | 'other' | 'both'

/** Merges two changes of a text line by line. Changes of different lines do not conflict. */
export const mergeTexts = (own: string, base: string, other: string): readonly MergePart[] =>
  (diff3Merge(own.split('\n'), base.split('\n'), other.split('\n'), { excludeFalseConflicts: true }) as readonly Region[]).map(
    ({ ok, conflict }) =>
      ok
        ? { kind: 'lines', lines: ok }
        : { kind: 'conflict', own: conflict?.a ?? [], base: conflict?.o ?? [], other: conflict?.b ?? [] },
  )

/** The merged text. Undefined until each conflict has a choice. */
export function resolve(parts: readonly MergePart[], choices: Readonly<Record<number, Choice>>): string | undefined {
  const lines: string[] = []
  for (const [index, part] of parts.entries()) {
    const choice = choices[index]
    if (part.kind === 'lines') lines.push(...part.lines)
    else if (choice === undefined) return undefined
    else lines.push(...(choice === 'other' ? [] : part.own), ...(choice === 'own' ? [] : part.other))
  }
  return lines.join('\n')
}
