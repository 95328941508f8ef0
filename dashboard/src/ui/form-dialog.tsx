import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { FormModal } from './form-modal.tsx'

interface Form {
  readonly isDirty: () => boolean
  readonly reset: () => void
  readonly resetDirty: () => void
}

/** State of a dialog with a form. */
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
  /** Title of the dialog. */
  readonly title: string
  /** Text of the button. Default: the title. */
  readonly label?: string
  readonly pending: boolean
  readonly wide?: boolean
  readonly onOpen?: () => void
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

/** A button that opens a dialog with a form. */
export function FormDialog({ dialog, title, label = title, pending, wide, onOpen, children, ...button }: FormDialogProps) {
  const { form, opened, open, dismiss } = dialog
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

/** Button of a dialog that edits the object of a section. */
export const EDIT_BUTTON = { label: 'Edit', variant: 'default', size: 'xs' } as const
