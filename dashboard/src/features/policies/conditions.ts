import type { syntaxTree } from '@codemirror/language'
import type { Text } from '@codemirror/state'

type Tree = ReturnType<typeof syntaxTree>

interface Span {
  readonly from: number
  readonly to: number
}

/** Positions of conditions, which are the values of `when`. */
export function conditionsIn(tree: Tree, doc: Text, { from, to }: Span): readonly Span[] {
  const conditions: Span[] = []
  tree.iterate({
    from,
    to,
    enter({ name, node }) {
      if (name !== 'Pair') return
      const key = node.getChild('Key')
      if (!key || doc.sliceString(key.from, key.to) !== 'when') return
      const colon = doc.sliceString(key.to, node.to).indexOf(':')
      conditions.push({ from: key.to + colon + 1, to: node.to })
    },
  })
  return conditions
}

/** Whether a position is in a condition or at its end. */
export function conditionAt(tree: Tree, doc: Text, at: number): boolean {
  const line = doc.lineAt(at)
  if (/^\s*(- )?when:\s/.test(doc.sliceString(line.from, at))) return true
  return conditionsIn(tree, doc, { from: Math.max(at - 4_096, 0), to: at }).some(({ from, to }) => from <= at && at <= to)
}
