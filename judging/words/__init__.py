"""Every sentence that the product says of rules, the queue, results and judge classes: the reference's to the letter.

Plain text for whoever shows it, without HTML, in the language that is active. What people typed is
put in as it is, so a page must escape it.
"""
