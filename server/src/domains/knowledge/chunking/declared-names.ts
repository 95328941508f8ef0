const MAX_NAMES = 20

const MODIFIERS =
  'export|default|pub(?:\\([a-z]+\\))?|public|private|protected|internal|static|abstract|final|async|unsafe|const|extern|inline|virtual|override|declare|sealed|partial'
const KEYWORDS =
  'function\\*?|class|interface|enum|struct|trait|type|def|fn|func|fun|mod|module|namespace|object|protocol|record|macro_rules!|const|static|impl(?:<[^>\\n]{1,80}>)?'
/** A declaration starts its line. A bracket, an operator, a keyword or the end of the line follows its name, so most prose is no declaration. */
const DECLARATION = new RegExp(
  `^[ \\t]*(?:(?:${MODIFIERS})[ \\t]+)*(?:${KEYWORDS})[ \\t]+([A-Za-z_$][\\w$]*)(?=[ \\t]*(?:[(<{:=;,!]|extends|implements|for|where|struct|interface|\\r?$))`,
  'gm',
)

/** The distinct names of functions, types and constants that a text of code declares, in their order; 20 at most. */
export function declaredNames(text: string): readonly string[] {
  const names = new Set<string>()
  for (const [, name = ''] of text.matchAll(DECLARATION)) {
    names.add(name)
    if (names.size === MAX_NAMES) break
  }
  return [...names]
}
