import { useData, useRoute, withBase } from 'vitepress'
import { computed, defineComponent, h, ref, watch } from 'vue'

/** Copies the page as Markdown, for a language model or a note. The link leads to the same text. */
export const CopyPage = defineComponent(() => {
  const { page } = useData()
  const route = useRoute()
  const address = computed(() => withBase(`/${page.value.relativePath}`))
  const label = ref('Copy page')
  watch(
    () => route.path,
    () => {
      label.value = 'Copy page'
    },
  )
  const copy = async (): Promise<void> => {
    try {
      const response = await fetch(address.value)
      if (!response.ok) throw new Error(`${response.status}`)
      await navigator.clipboard.writeText(await response.text())
      label.value = 'Copied'
    } catch {
      // Without https a browser has no clipboard for pages.
      label.value = 'Could not copy: open the Markdown'
    }
  }
  return () =>
    h('div', { class: 'copy-page' }, [
      h('button', { type: 'button', onClick: copy }, label.value),
      h('a', { href: address.value, target: '_self' }, 'View as Markdown'),
      h('span', { role: 'status', class: 'visually-hidden' }, label.value === 'Copy page' ? '' : label.value),
    ])
})
