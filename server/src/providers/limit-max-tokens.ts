/** Newer models accept only the first name, older servers only the second. Other servers have other names. */
export const LIMIT_NAMES: readonly string[] = ['max_completion_tokens', 'max_tokens', 'max_new_tokens', 'num_predict']

type Parameters = Readonly<Record<string, unknown>>

/** Applies the directive `max_tokens`: no limit in the request stays higher. Adds `max_tokens` if the request has none. */
export function limitMaxTokens(parameters: Parameters, maxTokens: number | undefined): Parameters {
  if (maxTokens === undefined) return parameters
  const names = LIMIT_NAMES.filter((name) => name in parameters)
  const limits = (names.length > 0 ? names : ['max_tokens']).map((name) => {
    const requested = parameters[name]
    return [name, typeof requested === 'number' && requested > 0 ? Math.min(requested, maxTokens) : maxTokens]
  })
  return { ...parameters, ...Object.fromEntries(limits) }
}
