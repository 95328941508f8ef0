import type { Plugin } from 'vite'

const PICTURE =
  /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g

/** The two images of a picture follow the color scheme of the site, which readers can choose, instead of that of the system. */
export function pictures(): Pick<Plugin, 'name' | 'enforce' | 'transform'> {
  const image = (path: string, alt: string, scheme: string): string =>
    `<img class="${scheme}-only" alt="${alt}" src="${path.startsWith('images/') ? './' : ''}${path}" loading="lazy">`
  return {
    name: 'pictures',
    enforce: 'pre',
    transform(code: string, id: string) {
      if (!id.endsWith('.md')) return undefined
      return code.replaceAll(
        PICTURE,
        (_all, dark: string, alt: string, light: string) => `${image(light, alt, 'light')}${image(dark, alt, 'dark')}`,
      )
    },
  }
}
