"""What templates print beside text."""
