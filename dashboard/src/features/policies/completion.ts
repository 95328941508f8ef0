import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import { conditionAt } from './conditions.ts'
import {
  CLASSIFICATIONS,
  DIRECTIVES,
  DOCUMENT_FIELDS,
  FIELD_VALUES,
  FINDINGS,
  FUNCTIONS,
  METHODS,
  RISK_LEVELS,
  RULE_FIELDS,
  TRANSFORMS,
  VARIABLES,
} from './vocabulary.ts'

/** Completes names in conditions, and fields and values elsewhere. */
export function complete(context: CompletionContext): CompletionResult | null {
  const inCondition = conditionAt(syntaxTree(context.state), context.state.doc, context.pos)
  return inCondition ? inCel(context) : inYaml(context)
}

const CONDITION_NAMES: readonly Completion[] = [
  ...VARIABLES.map((label) => ({ label, type: 'variable' })),
  ...FUNCTIONS.map((label) => ({ label, type: 'function', apply: `${label}(` })),
]

function inCel(context: CompletionContext): CompletionResult | null {
  const finding = context.matchBefore(/findings(?:\[["']|\.)[\w.]*/)
  if (finding)
    return {
      from: finding.from + 'findings'.length + openingLength(finding.text),
      options: constants(FINDINGS),
      validFor: /^[\w.]*$/,
    }
  const comparison = context.matchBefore(/(?:classification|risk_level)\s*(?:==|!=)\s*["']\w*/)
  if (comparison) {
    const options = constants(comparison.text.startsWith('risk') ? RISK_LEVELS : CLASSIFICATIONS)
    return { from: comparison.from + Math.max(comparison.text.lastIndexOf('"'), comparison.text.lastIndexOf("'")) + 1, options }
  }
  const method = context.matchBefore(/[\])\w]\.\w*$/)
  const name = context.matchBefore(/[A-Za-z_][\w.]*/)
  const isVariable = name && VARIABLES.some((variable) => variable.startsWith(name.text))
  if (method && !isVariable) {
    return {
      from: method.from + 2,
      options: METHODS.map((label) => ({ label, type: 'method', apply: `${label}(` })),
    }
  }
  if (!name && !context.explicit) return null
  return { from: name?.from ?? context.pos, options: CONDITION_NAMES, validFor: /^[\w.]*$/ }
}

/** Length of the opening of a map entry: `["` or `.`. */
const openingLength = (text: string): number => (text.includes('[') ? 2 : 1)

function inYaml(context: CompletionContext): CompletionResult | null {
  const value = context.matchBefore(/\b(\w+):[ ]+\[?(?:[^\]#]*,\s*)?["']?[\w:.=]*$/)
  if (value) {
    const field = value.text.slice(0, value.text.indexOf(':'))
    const options = valuesOf(field)
    const typed = /[\w:.=]*$/.exec(value.text.slice(field.length + 1))?.[0] ?? ''
    return options ? { from: context.pos - typed.length, options: constants(options), validFor: /^[\w:.=]*$/ } : null
  }
  const key = context.matchBefore(/^(\s*)(- )?(\w*)$/)
  if (!key || (!context.explicit && key.text.trim().replace('-', '') === '')) return null
  const typed = /\w*$/.exec(key.text)?.[0] ?? ''
  const fields = /^\w*$/.test(key.text) ? DOCUMENT_FIELDS : RULE_FIELDS
  return {
    from: context.pos - typed.length,
    options: fields.map((label) => ({ label, type: 'property', apply: `${label}: ` })),
    validFor: /^\w*$/,
  }
}

function valuesOf(field: string): readonly string[] | undefined {
  if (field === 'transforms') return TRANSFORMS
  return field === 'directives' ? DIRECTIVES : FIELD_VALUES[field]
}

const constants = (labels: readonly string[]): Completion[] => labels.map((label) => ({ label, type: 'constant' }))
