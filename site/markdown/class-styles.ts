import type { UserConfig } from 'vitepress'

type Transformer = NonNullable<NonNullable<UserConfig['markdown']>['codeTransformers']>[number]

/** Declarations of colors by class. */
const rules = new Map<string, string>()

/** Moves the colors of code from `style` attributes, which the content security policy forbids, to classes. */
export const classStyles: Transformer = {
  name: 'class-styles',
  pre(node) {
    delete node.properties.style
  },
  span(node) {
    const { style } = node.properties
    if (typeof style !== 'string') return
    const name = `c${style.replaceAll(/--shiki-|[^\w]/g, '')}`
    rules.set(name, style)
    delete node.properties.style
    this.addClassToHast(node, name)
  },
}

/** The style sheet of all classes that `classStyles` has given. */
export const codeStyles = (): string => [...rules].map(([name, style]) => `.vp-code .${name}{${style}}`).join('\n')
