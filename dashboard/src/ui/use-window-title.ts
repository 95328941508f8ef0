import { useEffect } from 'react'

/** `title`: the subject of the page. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
}
