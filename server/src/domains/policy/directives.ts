/** An obligation that steers the request (GW-POL-11). */
export type Directive =
  | { readonly kind: 'route'; readonly by: 'provider' | 'region'; readonly value: string }
  /** In the currency of the models' prices, for one request. */
  | { readonly kind: 'route'; readonly by: 'max_cost'; readonly value: number }
  | { readonly kind: 'memory'; readonly mode: 'off' | 'audit_only' }
  | { readonly kind: 'knowledge' }
  | { readonly kind: 'max_tokens'; readonly count: number }
  /** `text`: a name under the document's `texts`. */
  | { readonly kind: 'system'; readonly text: string }

/** All directives of a decision. An absent field: no directive sets it. */
export interface CombinedDirectives {
  readonly provider?: string
  readonly region?: string
  readonly maxCost?: number
  readonly memory?: 'off' | 'audit_only'
  readonly knowledgeOff: boolean
  readonly maxTokens?: number
  readonly system: readonly string[]
  /** Two directives demand different providers or regions, so no provider is eligible. */
  readonly unsatisfiable: boolean
}

export const DIRECTIVE_FORMS =
  'route:provider=…, route:region=…, route:max_cost=…, memory:off, memory:audit_only, knowledge:off, max_tokens:n, system:<text name>'

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/

export function parseDirective(text: string): Directive | undefined {
  const colon = text.indexOf(':')
  const value = text.slice(colon + 1)
  switch (text.slice(0, colon)) {
    case 'route':
      return parseRoute(value)
    case 'memory':
      return value === 'off' || value === 'audit_only' ? { kind: 'memory', mode: value } : undefined
    case 'knowledge':
      return value === 'off' ? { kind: 'knowledge' } : undefined
    case 'max_tokens':
      return /^[1-9]\d{0,8}$/.test(value) ? { kind: 'max_tokens', count: Number(value) } : undefined
    case 'system':
      return NAME.test(value) ? { kind: 'system', text: value } : undefined
    default:
      return undefined
  }
}

function parseRoute(text: string): Directive | undefined {
  const equals = text.indexOf('=')
  const by = text.slice(0, equals)
  const value = text.slice(equals + 1)
  if (by === 'max_cost') return /^\d{1,9}(\.\d{1,9})?$/.test(value) ? { kind: 'route', by, value: Number(value) } : undefined
  if (by === 'provider' || by === 'region') return NAME.test(value) ? { kind: 'route', by, value } : undefined
  return undefined
}

/** The strictest directive of each kind wins: the lowest limit, `off` before `audit_only`. Throws a TypeError on an unknown directive. */
export function combineDirectives(directives: readonly string[]): CombinedDirectives {
  const combined: MutableDirectives = { knowledgeOff: false, system: [], unsatisfiable: false }
  for (const text of directives) {
    const directive = parseDirective(text)
    if (!directive) throw new TypeError(`unknown directive: ${text}`)
    addDirective(combined, directive)
  }
  return combined
}

type MutableDirectives = { -readonly [K in keyof CombinedDirectives]: CombinedDirectives[K] } & { system: string[] }

function addDirective(combined: MutableDirectives, directive: Directive): void {
  switch (directive.kind) {
    case 'route':
      if (directive.by === 'max_cost') combined.maxCost = Math.min(directive.value, combined.maxCost ?? Infinity)
      else {
        combined.unsatisfiable ||= (combined[directive.by] ?? directive.value) !== directive.value
        combined[directive.by] ??= directive.value
      }
      break
    case 'memory':
      combined.memory = combined.memory === 'off' ? 'off' : directive.mode
      break
    case 'knowledge':
      combined.knowledgeOff = true
      break
    case 'max_tokens':
      combined.maxTokens = Math.min(directive.count, combined.maxTokens ?? Infinity)
      break
    case 'system':
      if (!combined.system.includes(directive.text)) combined.system.push(directive.text)
  }
}
