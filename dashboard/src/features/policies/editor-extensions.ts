import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap } from '@codemirror/view'
import { type ResponseOf, sendRequest } from '../../api/operations.ts'
import { complete } from './completion.ts'

export type Check = ResponseOf<'post', '/admin/v1/policy-sets/check'>
export type Problem = Check['errors'][number]

const PAUSE_MS = 400

interface Listeners {
  readonly onText: (text: string) => void
  readonly onCheck: (check: Check) => void
  readonly readOnly: boolean
}

/** Extensions for editing policies. The server checks the text after each pause. */
export const editorExtensions = ({ onText, onCheck, readOnly }: Listeners): Extension => [
  EditorState.readOnly.of(readOnly),
  search({ top: true }),
  highlightSelectionMatches(),
  history(),
  closeBrackets(),
  bracketMatching(),
  indentOnInput(),
  highlightActiveLine(),
  foldGutter(),
  autocompletion({ override: [complete] }),
  lintGutter(),
  linter(
    async ({ state }) => {
      const check = await sendRequest('post', '/admin/v1/policy-sets/check', { body: { source: state.doc.toString() } })
      onCheck(check)
      return check.errors.map((problem) => diagnosticOf(problem, state.doc))
    },
    { delay: PAUSE_MS },
  ),
  replaceSelection,
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onText(state.doc.toString())
  }),
  // Tab keeps its browser function, so that keyboard users can leave the editor.
  keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap]),
]

/**
 * Replaces selected text without the browser, which would put the style of the removed text into a style attribute. The content security
 * policy reports such an attribute as an error, and a nonce does not allow it.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main
    const { inputType, data } = event
    if (empty || data === null || inputType !== 'insertText' || view.state.readOnly) return false
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    // Handlers of the editor, which close brackets around a selection, come first.
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})

/** The place of a problem: "no-guests.verdict"; for a condition the rule's id alone. */
export function placeOf({ field, rule }: Pick<Problem, 'field' | 'rule'>): string {
  if (rule === undefined) return field
  const inRule = field.replace(/^rules\[\d+\]\.?/, '')
  return inRule === '' || inRule === 'when' ? rule : `${rule}.${inRule}`
}

function diagnosticOf(problem: Problem, doc: Text): Diagnostic {
  const { line, column, message } = problem
  const place = placeOf(problem)
  const { from, to } = doc.line(Math.min(line, doc.lines))
  const start = Math.min(from + column - 1, to)
  return { from: start, to, severity: 'error', message: place ? `${place}: ${message}` : message }
}

/** Moves the cursor to a line and scrolls to it. */
export function goToLine(view: EditorView | undefined, line: number): void {
  if (!view) return
  const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
}
