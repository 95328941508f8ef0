/** Newer models know the first only, older servers the second; other servers have names of their own. */
const LENGTHS = ['max_completion_tokens', 'max_tokens', 'max_new_tokens', 'num_predict']

type Parameters = Readonly<Record<string, unknown>>

/** The parameters with the directive `max_tokens` applied: never more than the client asked for, under each name that it used. */
export function limitMaxTokens(parameters: Parameters, maxTokens: number | undefined): Parameters {
  if (maxTokens === undefined) return parameters
  const used = LENGTHS.filter((name) => name in parameters)
  const limits = (used.length > 0 ? used : ['max_tokens']).map((name) => {
    const asked = parameters[name]
    return [name, typeof asked === 'number' ? Math.min(asked, maxTokens) : maxTokens]
  })
  return { ...parameters, ...Object.fromEntries(limits) }
}
