import { childOf, childrenOf, isOn, textIn, type XmlElement } from '../xml.ts'

/** An Office equation in one line: `(a+b)/2`, `x^2`, `sqrt(x)`. */
export function equationText(element: XmlElement): string {
  const part = (...path: string[]) => content(childOf(element, ...path))
  const value = (property: string, name: string, otherwise: string) =>
    childOf(element, property, name)?.attributes.val ?? otherwise
  switch (element.name) {
    case 'm:t':
      return textIn(element)
    case 'm:f': {
      const [top, bottom] = [part('m:num'), part('m:den')]
      return value('m:fPr', 'm:type', 'bar') === 'noBar' ? `(${top}; ${bottom})` : `${grouped(top)}/${grouped(bottom)}`
    }
    case 'm:sSup':
    case 'm:sSub':
    case 'm:sSubSup':
      return grouped(part('m:e')) + scripts(part('m:sub'), part('m:sup'))
    case 'm:sPre':
      return `${scripts(part('m:sub'), part('m:sup'))} ${grouped(part('m:e'))}`
    case 'm:rad': {
      const degree = part('m:deg')
      return degree === '' ? `sqrt(${part('m:e')})` : `root(${degree}, ${part('m:e')})`
    }
    case 'm:nary':
      return `${value('m:naryPr', 'm:chr', '∫')}${scripts(part('m:sub'), part('m:sup'))} ${part('m:e')}`
    case 'm:d': {
      const separator = value('m:dPr', 'm:sepChr', '|')
      const inside = childrenOf(element, 'm:e').map(content).join(separator)
      return `${value('m:dPr', 'm:begChr', '(')}${inside}${value('m:dPr', 'm:endChr', ')')}`
    }
    case 'm:func': {
      const argument = part('m:e')
      return `${part('m:fName')}${argument.startsWith('(') ? '' : ' '}${argument}`
    }
    case 'm:limLow':
      return `${part('m:e')}_${grouped(part('m:lim'))}`
    case 'm:limUpp':
      return `${part('m:e')}^${grouped(part('m:lim'))}`
    case 'm:m':
      return `[${childrenOf(element, 'm:mr')
        .map((line) => childrenOf(line, 'm:e').map(content).join(', '))
        .join('; ')}]`
    case 'm:eqArr':
      return childrenOf(element, 'm:e').map(content).join('; ')
    case 'm:oMathPara':
      return childrenOf(element, 'm:oMath').map(content).join('; ')
    case 'm:phant':
      return isOn(childOf(element, 'm:phantPr'), 'm:show') === false ? '' : part('m:e')
    case 'w:t':
      return textIn(element)
    case 'w:del':
    case 'w:moveFrom':
      return ''
    default:
      return content(element)
  }
}

const content = (element: XmlElement | undefined): string => childrenOf(element).map(equationText).join('')

const scripts = (low: string, high: string): string => (low && `_${grouped(low)}`) + (high && `^${grouped(high)}`)

/** In parentheses if it has several terms. */
function grouped(text: string): string {
  return /^(?:[\p{L}\p{N}\p{M}.,′']*|\([^()]*\))$/u.test(text) ? text : `(${text})`
}
