import { Modal, type ModalProps } from '@mantine/core'
import { confirmLeave, useUnsavedWarning } from './use-unsaved-warning.ts'

interface FormModalProps extends Pick<ModalProps, 'title' | 'size' | 'children' | 'closeOnClickOutside'> {
  readonly opened: boolean
  /** Closing the dialog asks for confirmation first. */
  readonly unsaved: boolean
  /** Closes the dialog and resets the form. */
  readonly onClose: () => void
}

/** A dialog with a form. Asks before Esc, a click outside or leaving the page discards changes. */
export function FormModal({ unsaved, onClose, opened, ...modal }: FormModalProps) {
  useUnsavedWarning(opened && unsaved)
  return <Modal {...modal} opened={opened} onClose={() => (!unsaved || confirmLeave()) && onClose()} />
}
