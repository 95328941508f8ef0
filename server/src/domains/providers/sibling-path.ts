const CHAT_PATH = '/chat/completions'

/** The paths of the other APIs replace the end of the chat completions path, with the same query. A path of another form is replaced. */
export function siblingPath(chatPath: string, name: string): string {
  const [path = '', ...query] = chatPath.split('?')
  const folder = path.endsWith(CHAT_PATH) ? path.slice(0, -CHAT_PATH.length) : ''
  return [`${folder}${name}`, ...query].join('?')
}
