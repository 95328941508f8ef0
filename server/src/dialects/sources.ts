/** The client's field for fields of the chat form: a longer path takes precedence over a shorter one. */
export type Sources = Map<string, string>

/** `messages[2].content[0].text` is `input[1].content[0].text` if `sources` has `messages[2]`. */
export function fieldOf(sources: ReadonlyMap<string, string>, param: string): string {
  for (let end = param.length; end > 0; end = Math.max(param.lastIndexOf('.', end - 1), param.lastIndexOf('[', end - 1))) {
    const source = sources.get(param.slice(0, end))
    if (source !== undefined) return source + param.slice(end)
  }
  return param
}
