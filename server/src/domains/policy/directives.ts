/** The effect of the directives of a decision (GW-POL-11). An absent field: no directive sets it. */
export interface CombinedDirectives {
  readonly provider?: string
  readonly region?: string
  /** In the currency of the models' prices, for one request. */
  readonly maxCost?: number
  readonly memory?: 'off' | 'audit_only'
  readonly knowledgeOff: boolean
  readonly maxTokens?: number
  readonly system: readonly string[]
  /** Two directives demand different providers or regions, so no provider is eligible. */
  readonly unsatisfiable: boolean
}

type Directive = Partial<Omit<CombinedDirectives, 'unsatisfiable'>>

export const DIRECTIVE_FORMS =
  'route:provider=…, route:region=…, route:max_cost=…, memory:off, memory:audit_only, knowledge:off, max_tokens:n, system:<text name>'

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/

const DIRECTIVES: readonly (readonly [prefix: string, value: RegExp, read: (value: string) => Directive])[] = [
  ['route:provider=', NAME, (provider) => ({ provider })],
  ['route:region=', NAME, (region) => ({ region })],
  ['route:max_cost=', /^\d{1,9}(\.\d{1,9})?$/, (cost) => ({ maxCost: Number(cost) })],
  ['memory:', /^off$/, () => ({ memory: 'off' })],
  ['memory:', /^audit_only$/, () => ({ memory: 'audit_only' })],
  ['knowledge:', /^off$/, () => ({ knowledgeOff: true })],
  ['max_tokens:', /^[1-9]\d{0,8}$/, (count) => ({ maxTokens: Number(count) })],
  ['system:', NAME, (name) => ({ system: [name] })],
]

export function parseDirective(text: string): Directive | undefined {
  for (const [prefix, value, read] of DIRECTIVES) {
    const rest = text.slice(prefix.length)
    if (text.startsWith(prefix) && value.test(rest)) return read(rest)
  }
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

function addDirective(combined: MutableDirectives, { system = [], maxCost, maxTokens, memory, ...directive }: Directive): void {
  for (const by of ['provider', 'region'] as const) {
    const value = directive[by]
    if (value === undefined) continue
    combined.unsatisfiable ||= (combined[by] ?? value) !== value
    combined[by] ??= value
  }
  if (maxCost !== undefined) combined.maxCost = Math.min(maxCost, combined.maxCost ?? Infinity)
  if (maxTokens !== undefined) combined.maxTokens = Math.min(maxTokens, combined.maxTokens ?? Infinity)
  if (memory) combined.memory = combined.memory === 'off' ? 'off' : memory
  combined.knowledgeOff ||= directive.knowledgeOff === true
  for (const name of system) if (!combined.system.includes(name)) combined.system.push(name)
}
