"""Every sentence that the product says of rules, the queue, results and judge classes: the reference's to the letter.

Plain text for whoever shows it, without HTML, in the language that is active. What people typed is
put in as it is, so a page must escape it.

Each is a message for translators, whole where a language may want another order; a sentence with two
counts has one of them as a message of its own, since a message has one plural. Messages are literals,
every sign as it is: ``makemessages`` collects them as they stand in the source.
"""
