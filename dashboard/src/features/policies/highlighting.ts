import { syntaxTree } from '@codemirror/language'
import type { Range } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { conditionsIn } from './conditions.ts'

const styled = (name: string) => Decoration.mark({ class: `gh-${name}` })

/** By node name of the YAML parser. */
const YAML_LOOKS: Readonly<Record<string, Decoration>> = {
  Key: styled('key'),
  Comment: styled('comment'),
  QuotedLiteral: styled('string'),
}

const CEL_LOOKS = [
  [/\br?"(?:[^"\\]|\\.)*"|\br?'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/, styled('string')],
  [/\b(?:true|false|null|in)\b/, styled('word')],
  [/\b\d+(?:\.\d+)?\b/, styled('number')],
  [/\b[a-z]\w*(?=\()/i, styled('function')],
  [/\b(?:user|application|request|content|response|hit|memory|message)(?:\.\w+)+|\bnow\b/, styled('name')],
  [/[<>=!]=?|&&|\|\||[?:+\-*/%]/, styled('operator')],
] as const
const CEL = new RegExp(CEL_LOOKS.map(([pattern]) => `(${pattern.source})`).join('|'), 'gi')

/** Highlights YAML by its syntax, and the conditions in it as CEL. */
const highlighter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = decorate(view)
    }

    update(update: ViewUpdate) {
      const parsed = syntaxTree(update.startState) !== syntaxTree(update.state)
      if (update.docChanged || update.viewportChanged || parsed) this.decorations = decorate(update.view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

function decorate({ state, visibleRanges }: EditorView): DecorationSet {
  const tree = syntaxTree(state)
  const marks: Range<Decoration>[] = []
  for (const range of visibleRanges) {
    const conditions = conditionsIn(tree, state.doc, range)
    tree.iterate({
      ...range,
      enter({ name, from, to }) {
        const decoration = YAML_LOOKS[name]
        if (decoration && from < to && !conditions.some((one) => one.from <= from && to <= one.to)) {
          marks.push(decoration.range(from, to))
        }
      },
    })
    for (const { from, to } of conditions) {
      for (const match of state.sliceDoc(from, to).matchAll(CEL)) {
        const kind = match.slice(1).findIndex((part) => part !== undefined)
        const decoration = CEL_LOOKS[kind]?.[1]
        const start = from + match.index
        if (decoration) marks.push(decoration.range(start, start + match[0].length))
      }
    }
  }
  return Decoration.set(marks, true)
}

const theme = EditorView.baseTheme({
  '&light .gh-key': { color: '#0a4997', fontWeight: '600' },
  '&light .gh-comment': { color: '#5c636a', fontStyle: 'italic' },
  '&light .gh-string': { color: '#1b6b3a' },
  '&light .gh-word, &light .gh-number': { color: '#8a3a00' },
  '&light .gh-function': { color: '#6b2fb3' },
  '&light .gh-name': { color: '#a1125a' },
  '&light .gh-operator': { color: '#444' },
  '&dark .gh-key': { color: '#a9c8ff', fontWeight: '600' },
  '&dark .gh-comment': { color: '#a5a5a5', fontStyle: 'italic' },
  '&dark .gh-string': { color: '#8fd6a5' },
  '&dark .gh-word, &dark .gh-number': { color: '#ffb27a' },
  '&dark .gh-function': { color: '#c9a6ff' },
  '&dark .gh-name': { color: '#ff9ecb' },
  '&dark .gh-operator': { color: '#ccc' },
})

export const highlighting = [highlighter, theme]
