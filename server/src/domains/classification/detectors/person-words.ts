import { withoutAccents } from '../../../platform/lib/plain-text.ts'

const words = (list: string): ReadonlySet<string> => new Set(withoutAccents(list).trim().split(/\s+/))

/** Frequent given names of many countries. A field that is only called "name" needs one of them, or keys of a person near it. */
export const GIVEN_NAMES = words(`
  Aaliyah Aaron Abdul Abdullah Abigail Ada Adam Adele Adnan Adrian Adriana Agata Agnes Ahmad Ahmed Aicha Aiden Aiko Aisha Ajay Akira Alain Alan
  Albert Alberto Aleksander Alena Alejandra Alejandro Aleksandra Alessandra Alessandro Alex Alexander Alexandra Alexandre Alexis Alfred Ali Alice
  Alicia Alina Alison Allison Alma Alois Alvaro Amal Amanda Amber Amelia Amina Amir Amit Amy Ana Anastasia Anders Andre Andrea Andreas Andrei
  Andrew Andrey André Andrzej Ange Angela Angelika Angelina Angelo Anil Anita Anja Anjali Anke Ann Anna Anne Annette Annika Anthony Antje Antoine
  Anton Antonia Antonio Anu Anya Aoife Ariana Arjun Armin Arnaud Arne Artem Arthur Arturo Asha Ashley Astrid Audrey Aurora Ava Axel Ayşe Aylin
  Barbara Bart Bartosz Beata Beate Beatrice Beatriz Ben Benedikt Benjamin Bernard Bernd Bernhard Beth Betty Bianca Bill Birgit Björn Bob Bogdan
  Boris Brad Brandon Brenda Brian Brigitte Britta Bruce Bruno Bryan Caleb Camila Camille Carina Carl Carla Carlos Carmen Carol Carolin Carolina
  Caroline Carsten Caterina Catherine Cecilia Cecilie Cem Chad Charles Charlotte Chiara Chloe Chris Christa Christian Christiane Christina Christine
  Christoph Christophe Christopher Cindy Claire Clara Claude Claudia Claudio Clemens Colin Connor Conor Corinna Craig Cristian Cristina Cynthia Dagmar Daisuke
  Damian Dan Dana Daniel Daniela Daniele Danielle Danny Darren David Davide Dawid Dean Deborah Deepak Delphine Denis Dennis Derek Diana Diane Diego
  Dieter Dimitri Dina Dirk Dmitri Dmitry Dominik Dominique Donald Donna Dorota Dorothea Dorothy Doug Douglas Duncan Dylan Eberhard Eduardo Edward Edyta Egon
  Eileen Ekaterina Elaine Elena Eleni Elias Elif Elisa Elisabeth Elise Elizabeth Elke Ella Ellen Elsa Emil Emilia Emily Emine Emma Emmanuel Emre
  Enrico Eric Erica Erik Erika Erin Ernst Esther Ethan Eugene Eva Evan Eve Evelyn Ewa Fabian Fabio Farah Fatima Fatma Federica Federico
  Felicia Felix Ferdinand Fernanda Fernando Filip Finn Fiona Florence Florian Frances Francesca Francesco Francis Francisco Franco Frank François Françoise
  Franz Franziska Fred Frederic Frederick Fredrik Frida Friedrich Fritz Gabriel Gabriela Gabriele Gareth Gary Geoffrey George Georg Georgia Georgina Gerald Gerd
  Gerhard Gerlinde Giacomo Gianluca Gina Giorgio Giovanni Gisela Giulia Giuseppe Giovanna Gloria Gordon Grace Graham Greg Gregory Greta Grzegorz Guido Guillaume Gül Günter
  Gustav Hana Hanna Hannah Hannes Hans Harald Haruto Harry Hassan Heather Hector Heidi Heike Heiko Heinrich Heinz Helen Helena Helene Helga Helmut
  Hendrik Henri Henrik Henry Herbert Hermann Hilde Hiroshi Holger Hope Howard Hubert Hugo Ian Ibrahim Ida Ignacio Igor Ilona Ilse Imran Ines Inga
  Ingo Ingrid Irena Irene Iris Irina Isaac Isabel Isabella Isabelle Ismail Ivan Ivana Iwona Jack Jackie Jacob Jacqueline Jacques Jaime Jakob
  Jakub James Jamie Jan Jana Jane Janet Janine Jared Jasmin Jasmine Jason Javier Jay Jean Jeff Jeffrey Jelena Jenna Jennifer Jenny Jens
  Jeremy Jerome Jerry Jerzy Jessica Jesús Jill Jim Jimmy Jin Jiří Joachim Joan Joana Joanna João Jochen Joe Joel Johan Johanna Johannes John Johnny
  Jolanta Jon Jonas Jonathan Jordan Jorge Josef Josefine José Joseph Joshua Joyce Juan Juana Judith Judy Julia Julian Juliana Julie Julien Juliette Justin
  Justyna Jürgen Jörg Kacper Kai Kamil Karen Karim Karin Karina Karl Karolina Katarina Katarzyna Kate Katharina Katherine Kathleen Kathrin Kathryn Katie Katja Katrin
  Kavita Keiko Keith Kelly Ken Kenji Kenneth Kerstin Kevin Khadija Khalid Kim Kimberly Kirsten Kiran Klara Klaus Konrad Konstantin Krishna Kristen Kristian
  Kristin Kristina Krystyna Krzysztof Kumar Kurt Kyle Laila Lakshmi Lara Larisa Larry Lars Laura Lauren Laurent Lea Leah Leila Lena Leo Leon Leonard Leonie
  Leonardo Leticia Li Liam Lidia Lin Linda Lisa Liu Logan Lorena Lorenzo Lothar Louis Louise Luc Luca Lucas Lucia Lucie Lucy Ludwig Luigi Luis Luisa
  Luka Lukas Luke Luz Lydia Lynn Maciej Madison Magdalena Maja Malgorzata Małgorzata Manfred Manuel Manuela Mara Marc Marcel Marcin Marco Marcos Marcus
  Marek Margaret Margarete Margit Maria Mariam Marian Mariana Marianne Marie Marija Marina Mario Marion Marius Mark Marko Markus Marlene Marta Martha Martin Martina
  Martine Mary Maryam Masha Massimo Mateusz Mathias Mathieu Mathilde Matteo Matthew Matthias Mats Maureen Maurice Mauricio Max Maximilian Maya Megan Mehmet Mei Melanie Melissa
  Mercedes Meryem Mia Michael Michaela Michal Michał Michel Michele Michelle Miguel Mika Mike Mikhail Mila Milan Milena Min Mina Ming Miriam Mirjam Mohamed Mohammad Mohammed Moira
  Molly Mona Monica Monika Monique Moritz Muhammad Murat Mustafa Nadia Nadine Nadja Naomi Nancy Naoko Natalia Natalie Natasha Nathalie Nathan Neha Neil Nelson Nicholas Nick
  Nicola Nicolas Nicole Niels Nikhil Niklas Nikola Nikolai Nikolaus Nils Nina Noah Noemi Nora Norbert Norman Oksana Olaf Ole Oleg Olena Olga Oliver Olivia Olivier Omar
  Oscar Oskar Otto Owen Pablo Paola Paolo Pascal Patricia Patrick Patrizia Patryk Paul Paula Pauline Paulo Pavel Paweł Pedro Penelope Per Petar Peter Petra Phil Philip Philipp
  Philippe Phillip Pia Pierre Pieter Pilar Piotr Pooja Pradeep Priya Qing Rachel Rafael Rahul Raimund Rainer Raj Rajesh Ralf Ralph Ramon Raquel Raúl Ravi Raymond Rebecca Regina Reinhard
  Renata Renate Renato René Ricardo Riccardo Richard Rita Robert Roberta Roberto Robin Rodrigo Roger Roland Rolf Roman Ron Ronald Rosa Rosalie Rosemary Ross Roxana Ruben Rüdiger Rudolf Rupert Russell
  Ruth Ryan Sabine Sabrina Sakura Salma Sally Salvatore Sam Samantha Samira Samuel Sandra Sandro Sanjay Santiago Sara Sarah Sascha Sasha Satoshi Scott Sean Sebastian Sebastien Selma
  Serge Sergei Sergey Sergio Seth Shane Shannon Sharon Shirley Sibylle Siegfried Sigrid Silke Silvia Simon Simona Simone Siobhan Sławomir Sofia Sofie Sonja Sonia Sophia Sophie Stanislav Stefan Stefania
  Stefanie Steffen Stella Stephan Stephanie Stephen Steve Steven Stuart Sudha Sunita Suresh Susan Susana Susanne Suzanne Sven Svetlana Swati Sylvia Sylvie Takashi Takeshi Tamara Tanja Tanya Tara
  Tariq Tatiana Taylor Ted Teresa Theo Theodor Theresa Thierry Thilo Thomas Thorsten Tiago Tim Timo Timothy Tina Tobias Todd Tom Tomas Tomasz Tommaso Tomáš Toni Tony Tracy Travis
  Trevor Tyler Uli Ulla Ulrich Ulrike Umar Ursula Uta Ute Uwe Valentin Valentina Valeria Valerie Vanessa Vera Verena Veronica Veronika Vicente Victor Victoria Vijay Viktor Viktoria Vincent Vincenzo Viola
  Virginia Vivian Vladimir Volker Waltraud Walter Wanda Wang Wei Wendy Werner Wilhelm Will William Wojciech Wolfgang Xavier Xin Yan Yannick Yasmin Yasmine Yolanda Yoko Youssef Yuki Yusuf Yvonne Yves Zachary
  Zahra Zeynep Zhang Zoe Zoey Zoé Zoë Zofia Zuzana Łukasz Wade Irma Ivy Ruby Pearl Clark Dwight Earl Floyd Glenn Harvey Jesse Keanu Lloyd Marvin Milton Morgan Ned Neville Norma Percy Phyllis Quentin Rex Rhonda Rodney Roy Stanley Sue Tammy Terry Warren Wayne Wesley Анна Александр Алексей Андрей Борис Василий Виктор Владимир Дмитрий Екатерина Елена Иван Ирина Мария Михаил Наталья Николай Ольга Павел Пётр Сергей Татьяна Юлия`)

/** Words of the names of products, reports, plans and places, which are not names of persons. */
export const THINGS = words(`
  Account Accounts Adapter Advanced Agenda Air Alarm Album Alert Alerts Analysis Analytics Annual Apartment App Application Archive Area Article Asset Assets Audit
  Backpack Backup Bag Banner Bar Basic Basket Battery Beach Bed Bedroom Berlin Bicycle Big Bike Bill Billing Blanket Blend Blog Blue Blueprint Board Boots Bottle Bowl Box Branch Bridge Brief Broadband Brush
  Budget Building Bulletin Bundle Business Cable Cafe Café Cake Calculator Calendar Camera Campaign Campus Candle Car Card Cards Cart Case Catalog Catalogue Category Center Central Centre Ceramic Chair Channel Charger Chart Checklist
  Checking Chocolate City Classic Cleaner Clock Cloud Club Coat Coffee Collection Combo Common Community Complete Component Computer Conference Console Content Contract Control Controller Cookie Copy Corner Cotton Course Cream Cup Curated Custom
  Daily Dashboard Data Deluxe Demand Design Desktop Device Diagram Digest Digital Dinner Directory Discount Display District Dock Document Documents Door Draft Dress Drill Drive Driver Dryer Ebook Economy Edition Electric Emergency Energy Engine
  Enterprise Environment Equipment Error Espresso Essential Estate Event Events Expense Expenses Export Express Extra Facility Factory Fan Feature Feedback Festival File Files Filter Final Finance Fitness Fleet Flight Floor Folder Forecast Form Forum
  Framework Free Frame Freezer Full Fund Furniture Gallery Game Garden Gateway General Generator Gift Glass Global Gloves Gold Grand Grinder Group Guide Hall Hammer Handbook Handler Hardware Headphones Heater Helper High Holiday Home Hose House Hub
  Image Import Inbox Income Index Industrial Industries Initial Insights Instance Insurance Integration Interface Internal International Internet Inventory Invoice Invoices Island Issue Item Items Jacket Jeans Job Journal Juice Kettle Keyboard Kit Kitchen Knife
  Lab Label Ladder Lake Lamp Landing Laptop Large Laser Launch Lawn Layer Layout Leather Ledger Lesson Level Library License Light Lights Limited Line List Listing Live Lite Loan Local Lock Log Logistics Los Logo London Lounge Low Machine Magazine Mail Main Maintenance
  Maker Management Manual Map Market Marketing Master Mat Material Mattress Medium Meeting Member Membership Memory Metal Metric Metrics Microphone Migration Mini Minutes Mixer Mobile Mode Model Modern Module Monitor Monitoring Monthly Morning Motor Mountain Mouse
  Mug Munich Museum Music National Network New News Newsletter Next Night North Notebook Notes Notice Notification Number Offer Offline Online Onboarding Open Operations Orange Order Orders Organic Original Outdoor Outlet Oven Overview Pack Package Page
  Paint Panel Pants Paper Park Partner Party Password Payment Payments Payroll Pen Pencil Performance Personal Phone Photo Pillow Pilot Pink Pipe Pizza Plan Plans Planner Planning Plastic Platform Player Playlist Plus Pocket Policies Portable Portal Portfolio Position Post Poster
  Pot Power Premium Presentation Press Primary Print Printer Priority Private Pro Procedure Process Processing Product Products Professional Profile Program Programme Project Projects Promo Promotion Property Proposal Public Pump Purchase Purple Quarterly Query Queue Quick Racket Radio Rack Rail
  Razor Receipt Recipe Record Records Red Refrigerator Refund Region Regional Register Registry Release Remote Renewal Rental Repair Report Reporting Reports Request Requests Research Reserve Restaurant Result Results Retail Review Ring River Road Roadmap Robot Room Rooms Rotation Route Router
  Rubber Rule Rules Salad Sale Sales San Sandbox Santa Sauce Savings Saw Scanner Schedule School Science Screen Screwdriver Script Search Season Second Section Security Seed Self Sensor Series Session Shampoo Shelf Shift Ship Shipment Shipping Shirt Shoes Shop Shopping Shower Sign Silver Simple Sink
  Site Skirt Small Smart Snack Soap Socks Sofa Software Solar Solution Solutions Soup Source Space Spare Speaker Special Specification Sport Sports Spring Stack Staff Stage Staging Standard Starter Station Statement Status Steel Step Storage Store Strategy Stream Studio Study Style Subscription
  Suite Summary Sun Super Supplies Supply Survey Sweater Switch Sync Table Tablet Tag Tape Target Task Tasks Tax Tea Team Technology Template Tent Terminal Theater Theme Third Ticket Tickets Tire Toaster Tool Toolkit Tools Toothbrush Top Topic Total Tour Towel Tower Toy Track Tracker Trade Trading
  Traffic Train Training Transaction Transfer Transport Travel Tree Trial Trip Trousers T-Shirt Ultra Umbrella Unit Update Upgrade Urban Usage User Users Utility Vacuum Valley Value Van Vase Vehicle Vendor Version Video View Village Voucher Wallet Warehouse Warranty Washer Watch Water Web Webinar
  Website Week Weekend Weekly Wellness Wheel Widget Widgets Wifi Window Wine Wireless Wooden Wool Workflow Workshop Workspace Worker Yearly Yellow York Zone Januar January February March May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday
  Bericht Berichte Büro Haus Halle Lager Liste Maschine Kaffeemaschine Kaffee Lampe Tisch Stuhl Blaue Blauer Rote Roter Grüne Neue Neuer Neues Monatlicher Monatsbericht Jahresbericht Quartalsbericht Projekt Plan Vorlage Rechnung Rechnungen Vertrag Standort Filiale Abteilung Werk Übersicht Auswertung Schicht Sommer Winter
  Rapport Mensuel Mensuelle Annuel Hebdomadaire Projet Facture Chaise Bureau Maison Tasse Rouge Bleu Bleue Vert Verte Informe Mensual Anual Proyecto Factura Silla Mesa Azul Rojo Roja Verde Oficina Almacén Cafetera Rapporto Mensile Progetto Fattura Sedia Ufficio Relatório Projeto Fatura Cadeira`)

export const PERSON_KEY =
  /(?:e-?mail|phone|mobile|tel|telefon|address|adresse|birth|dob|gender|sex|age|alter|title|ssn|passport|nationality|salutation|anrede|first_?name|last_?name|sur_?name|role|job|employer|department|patient|diagnosis|salary|iban|gehalt|wohnort|geburtsdatum|mail|username|user_?id|employee_?id|customer_?id|marital|spouse|hobbies|skills|occupation|position|firma|company|contact)["']?[ \t]{0,4}[:=]/i
export const THING_KEY =
  /(?:sku|price|preis|prix|precio|qty|quantity|stock|version|description|beschreibung|category|currency|unit|slug|colou?r|size|weight|model|brand|url|enabled|schema|format|path|image|ean|gtin|isbn|items?|amount|duration|frequency|cron|schedule|steps|runs|uses|parameters|dataset|owner|created_?at|updated_?at|status|type)["']?[ \t]{0,4}[:=]/i
