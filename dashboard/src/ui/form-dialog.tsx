import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import i18next from 'i18next'
import { type ReactNode, useEffect, useRef } from 'react'
import { FormModal } from './form-modal.tsx'

interface Form {
  readonly isDirty: () => boolean
  readonly reset: () => void
  readonly resetDirty: () => void
}

export function useFormDialog(form: Form) {
  const [opened, { open, close }] = useDisclosure()
  return {
    form,
    opened,
    open,
    /** Closes the dialog and empties the form. */
    dismiss: () => {
      close()
      form.reset()
    },
    /** Closes the dialog after its values were saved. */
    saved: () => {
      form.resetDirty()
      close()
    },
  }
}

interface FormDialogProps extends Pick<ButtonProps, 'variant' | 'size'> {
  readonly dialog: ReturnType<typeof useFormDialog>
  readonly title: string
  /** Text of the button. Default: the title. */
  readonly label?: string
  readonly pending: boolean
  readonly wide?: boolean
  readonly onOpen?: () => void
  /** Fragment of the page's URL that opens the dialog once: "#create". */
  readonly fragment?: string
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

/** A button that opens a dialog with a form. */
export function FormDialog({
  dialog,
  title,
  label = title,
  pending,
  wide,
  onOpen,
  fragment,
  children,
  ...button
}: FormDialogProps) {
  const { form, opened, open, dismiss } = dialog
  useFragmentAction(fragment, open)
  return (
    <>
      <Button {...button} onClick={onOpen ?? open}>
        {label}
      </Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !pending}
        onClose={dismiss}
        title={title}
        {...(wide && { size: 'lg' })}
      >
        {children}
      </FormModal>
    </>
  )
}

/**
 * Runs the action of a button once if the page's URL has the fragment. Removes the fragment, so that a reload, or another button of
 * the page, does not run it again. Undefined: not yet.
 */
export function useFragmentAction(fragment: string | undefined, run: () => void): void {
  const { hash, pathname } = useLocation()
  // The previous page is still there while the next one loads.
  const page = useRef(pathname)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the fragment changes
  useEffect(() => {
    if (fragment === undefined || location.hash !== fragment || page.current !== pathname) return
    history.replaceState(history.state, '', `${location.pathname}${location.search}`)
    run()
  }, [hash, fragment])
}

/** Button of a dialog that edits the object of a section. */
export const EDIT_BUTTON = {
  get label() {
    return i18next.t('ui:edit')
  },
  variant: 'default',
  size: 'xs',
} as const
