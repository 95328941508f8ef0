import { Alert } from '@mantine/core'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface FormProps extends Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> {
  readonly pending: boolean
}

/** A form that moves the focus to the first invalid field after a refused submit, and names the invalid fields above all others. */
export function Form({ pending, children, onSubmit }: FormProps) {
  const { t } = useTranslation('ui')
  const ref = useRef<HTMLFormElement>(null)
  const invalid = useInvalidFields(ref, pending)
  return (
    <form ref={ref} onSubmit={onSubmit}>
      {invalid.length > 0 && (
        <Alert color="red" variant="light" role="alert" mb="md" p="xs">
          {t('invalidFields', { count: invalid.length, fields: invalid.join(', ') })}
        </Alert>
      )}
      {children}
    </form>
  )
}

interface FormRef {
  readonly current: HTMLFormElement | null
}

/** Labels of the fields that a submit has shown to be invalid, until they are corrected. */
function useInvalidFields(ref: FormRef, pending: boolean): readonly string[] {
  const [labels, setLabels] = useState<readonly string[]>([])
  const wasPending = useRef(false)
  const isRefusalDue = useAwaitedRefusal(ref)
  // After each render, because the owner of the form renders it with new errors.
  useEffect(() => {
    if (pending) wasPending.current = true
    if (pending || !ref.current) return
    const invalid = [...ref.current.querySelectorAll<HTMLElement>(INVALID)]
    const present = invalid.map(labelOf)
    if (isRefusalDue.current && invalid[0]) {
      isRefusalDue.current = false
      setLabels(present)
      moveFocus(invalid[0])
    } else if (labels.some((label) => !present.includes(label))) setLabels(labels.filter((label) => present.includes(label)))
    // A disabled button has lost the focus.
    if (wasPending.current && document.activeElement === document.body)
      ref.current.querySelector<HTMLElement>('[type="submit"]')?.focus()
    wasPending.current = false
  })
  return labels
}

/** Whether a submit may still be refused. An operator who types in the meantime keeps the focus. */
function useAwaitedRefusal(form: FormRef) {
  const isDue = useRef(false)
  useEffect(() => {
    const { current } = form
    const set = ({ type }: Event) => {
      isDue.current = type === 'submit'
    }
    current?.addEventListener('submit', set, true)
    current?.addEventListener('input', set)
    return () => {
      current?.removeEventListener('submit', set, true)
      current?.removeEventListener('input', set)
    }
  }, [form])
  return isDue
}

/** Inputs with an error, and the error of a group of inputs, which names the group in the attribute. */
const INVALID = '[aria-invalid="true"], [aria-describedby*="-error"], [data-invalid-group]'

function labelOf(field: HTMLElement): string {
  const [label] = (field as HTMLInputElement).labels ?? []
  const text = field.dataset.invalidGroup ?? label?.textContent ?? field.getAttribute('aria-label') ?? ''
  return text.replace(/\s*\*$/, '')
}

function moveFocus(field: HTMLElement): void {
  field.scrollIntoView({ block: 'center' })
  field.focus({ preventScroll: true })
}
