"""What people hold in their hands: a memory, its sessions, and the thread that works behind."""
